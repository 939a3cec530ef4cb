"""The tables of docs/specification.md, as the models of the specification and the measures tell them.

``python -m tests.reference`` writes every part of the page between two marks anew.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
from pathlib import Path
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, Union, get_args, get_origin

import numpy as np
from numpydoc.docscrape import ClassDoc
from pydantic import BaseModel

from sfumato.classes import Levels
from sfumato.domains import Confidential
from sfumato.measures import ClassMeasure, Setting, make_measure, measure_facts, measure_names
from sfumato.search import METHODS
from sfumato.spec import SearchSpec, Spec, choices
from sfumato.spec.sections import key_meanings
from sfumato.words import list_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic.fields import FieldInfo

PAGE = Path(__file__).parents[1] / "docs" / "specification.md"
PART = re.compile(
    r"(?P<begin><!-- table: (?P<name>\S+) \(python -m tests\.reference\) -->).*?(?P<end><!-- /table -->)",
    re.DOTALL,
)
Model: TypeAlias = type[BaseModel]

# What a check says of a value beyond its type.
NARROWER = {
    choices.check_names: "text or list of texts",
    choices.check_path: "path",
    choices.check_data_path: "path",
    choices.check_positive: "number above 0",
    choices.check_snap: "number above 0, or `hierarchy`",
    choices.check_share: "number from 0 to 1",
    choices.check_weight: f"number from 0 to {choices.LARGEST_WEIGHT:,}",
    choices.check_whole: "whole number, 0 or above",
}
PLAIN = {str: "text", bool: "true or false", int: "whole number", float: "number"}


def models(model: Model = Spec, name: str = "file") -> Iterator[tuple[str, Model]]:
    """Yield a model and all below it, each with the name of its table."""
    yield name, model
    for key, field in keys(model):
        inner = model_in(field.annotation)
        if inner is not None:
            yield from models(inner, key)


def keys(model: Model) -> list[tuple[str, FieldInfo]]:
    """Return the keys of a model as a file spells them."""
    return [(field.alias or name, field) for name, field in model.model_fields.items()]


def model_in(annotation: object) -> Model | None:
    """Find the model inside of ``Model | None``, ``dict[str, Model]`` and the like."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for item in get_args(annotation) if (found := model_in(item))), None)


def type_words(annotation: object, checks: Sequence[object] = (), *, many: bool = False) -> str:
    """Say what a value has to be, or many of them, in words that people know."""
    if narrow := check_words(checks):
        return narrow
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return type_words(inner[0], inner[1:], many=many)
    if origin is Literal:
        return ("" if many else "one of ") + ", ".join(f"`{choice}`" for choice in inner)
    if origin in (Union, UnionType):
        kinds = [item for item in inner if item is not NoneType and not (item is int and float in inner)]
        return list_words([type_words(item, many=many) for item in kinds], "or")
    if annotation in PLAIN:
        return PLAIN[annotation] + "s" * many  # type: ignore[index]
    return container_words(annotation, origin, inner, "s" * many)


def check_words(checks: Sequence[object]) -> str | None:
    """Say what the checks of a value ask for, if that is more than its type."""
    for check in (getattr(item, "func", None) for item in checks):
        if isinstance(check, functools.partial) and check.func is choices.check_whole:
            return f"whole number, {check.keywords['lowest']} or above"
        if check in NARROWER:
            return NARROWER[check]
    return None


def container_words(annotation: object, origin: object, inner: tuple[object, ...], s: str) -> str:
    """Say what a list or a table has to hold."""
    if model_in(annotation):
        return {tuple: "list of tables", dict: "tables"}.get(origin, "table")  # type: ignore[arg-type]
    word, item = ("table", inner[1]) if origin is dict else ("list", inner[0])
    if item is object:
        return f"{word}{s}"
    count = f"{len(inner)} " if origin is tuple and ... not in inner else ""
    return f"{word}{s} of {count}{type_words(item, many=True)}"


def toml(value: object) -> str:
    """Write a value of TOML on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{toml_key(key)} = {toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False)


def toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def default_words(field: FieldInfo) -> str:
    """Return the default of a key; a dash where none is needed."""
    if field.is_required():
        return "required"
    empty = field.default is None or field.default in ((), {}) or isinstance(field.default, BaseModel)
    return "–" if empty else f"`{toml(field.default)}`"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table of Markdown."""
    lines = [header, ["---"] * len(header), *([cell.replace("|", r"\|") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def section_table() -> str:
    """Write the tables of a file; their meanings are those of the parameters of `Spec`."""
    told = {item.name: " ".join(item.desc).replace("``", "`") for item in ClassDoc(Spec)["Parameters"]}
    brackets = {tuple: "[[{}]]", dict: "[{}.NAME]"}
    rows = []
    for key, field in keys(Spec):
        inner = model_in(field.annotation)
        written = brackets.get(get_origin(field.annotation), "[{}]") if inner else "[{}]"  # type: ignore[arg-type]
        lines = (
            [example(key, item["example"]) for key, item in key_meanings(inner).items()][:1]
            if inner
            else [example(*item) for item in field.examples[0].items()]
        )
        words, default = type_words(field.annotation), default_words(field)
        rows.append([f"`{written.format(key)}`", words, default, told[key], lines[0]])
    return table(["table", "type", "default", "meaning", "example"], rows)


def example(key: str, value: object) -> str:
    """Write the example of a key, or a line of one."""
    return f"`{toml_key(key)} = {toml(value)}`"


def key_table(model: Model) -> str:
    """Write the keys of one table of the file."""
    told, rows = key_meanings(model), []
    assert list(told) == [key for key, _ in keys(model)], f"keys.toml lacks keys of {model.__name__}"
    for key, field in keys(model):
        words, meaning = type_words(field.annotation, field.metadata), told[key]["meaning"]
        rows.append([f"`{key}`", words, default_words(field), meaning, example(key, told[key]["example"])])
    return table(["key", "type", "default", "meaning", "example"], rows)


def setting() -> Setting:
    """Return a table of which every measure can be made: A is sensitive, ordered and has a hierarchy."""
    tree = Levels(np.array([[0, 1], [0, 0]], dtype=np.int32))
    truth = np.ones((1, 1), dtype=np.bool_)
    secrets = Confidential(truth, truth, np.ones((1, 1)))
    return Setting(("Q",), ("A",), np.ones(1), frozenset("A"), {"A": tree}, secrets)


def measure_table() -> str:
    """Write all measures."""
    takes = {
        "nothing": "–",
        "weights": "the weights",
        "attribute": "a sensitive attribute",
        "sentences": "the confidential sentences",
    }
    extra = {
        "recursive_l(A, 3)": " and c, here 3",
        "t(A, ordered)": " with an order",
        "t(A, hierarchical)": " with a hierarchy",
    }
    rows = []
    for name in measure_names(setting()):
        facts, measure = measure_facts(name), make_measure(name, setting())
        words = (facts.words or str(facts.meaning)).format(attribute="A", c=3, unit="row")
        low, high = measure.limits
        span = f"{low:g} to {high:g}" if np.isfinite(high) else f"{max(low, name == 'k'):g} or above"
        rows.append(
            [
                *(f"`{name}`", words, takes[facts.takes] + extra.get(name, "")),
                "larger" if measure.direction.sign < 0 else "smaller",
                "each class" if isinstance(measure, ClassMeasure) else "the table",
                span,
            ]
        )
    return table(["measure", "in words", "takes", "better", "judges", "in `[require]`"], rows)


def parameter_table() -> str:
    """Write which parameters each method takes, with the method's own values."""
    found: dict[type, list[str]] = {}
    for name, method in METHODS.items():
        if method.parameters is not None:
            found.setdefault(method.parameters, []).append(name)
    names = [key for key, _ in keys(SearchSpec)]
    own: dict[str, Mapping[type, str]] = {key: {} for key in names}
    for kind in found:
        for item in dataclasses.fields(kind):
            if item.name in own:
                value = item.default_factory() if callable(item.default_factory) else item.default
                text = "taken" if value in (None, {}) else f"`{toml(value)}`"
                own[item.name] = {**own[item.name], kind: text}
    header = ["key", *(", ".join(f"`{name}`" for name in users) for users in found.values())]
    rows = [[f"`{key}`", *(values.get(kind, "") for kind in found)] for key, values in own.items() if values]
    return table(header, rows)


def tables() -> dict[str, str]:
    """Return every generated part of the page by its name."""
    of_keys = {name: key_table(model) for name, model in models() if model is not Spec}
    return {
        "file": section_table(),
        **of_keys,
        "measures": measure_table(),
        "parameters": parameter_table(),
    }


def page() -> str:
    """Return docs/specification.md with these parts rewritten."""
    found = tables()

    def rewrite(part: re.Match[str]) -> str:
        return f"{part['begin']}\n\n{found[part['name']]}\n\n{part['end']}"

    return PART.sub(rewrite, PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
