"""What Python users hold in their hands: fronts, solutions, releases and recipes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sfumato as sf
from tests.goldens.schemes import Plan, lay_out
from tests.goldens.tables import draw_people, write_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.goldens.desk import Desk


def ask_front(desk: Desk) -> None:
    """Everything that a front says about itself."""
    spec = sf.Spec.load(lay_out(desk, "levels.toml", Plan()))
    spec.save("saved.toml")
    desk.keep_files("saved.toml")
    desk.keep_json("check", sf.check(spec))
    front = sf.explore(None, spec)
    lines = [repr(front), *(repr(item) for item in front), f"knee {front.knee().number}"]
    lines += [f"{item.solution.number}: {item.why}" for item in front.suggestions(5)]
    lines += [f"{item} ({item.start.number} to {item.end.number})" for item in front.flat_regions()]
    lines += [f"{item} of loss" for item in front.flat_regions("loss", gain=0.1, cost=0.3)]
    lines += [f"better than {item.number}: {front.better_than(item.number)}" for item in front]
    better = front.better_than({"k": 2}, objectives=["k"])
    lines += [f"better than a point: {[item.number for item in better]}"]
    traded = front.trade("knee", better="loss", worse="k", at_most="60 %")
    lines += [f"trade: {[item.number for item in traded]}"]
    lines += [f"class sizes: {front.knee().class_sizes()}", f"labels: {front.labels([1, 2])}"]
    desk.keep("front.txt", "\n".join(lines) + "\n")
    desk.keep("compared.txt", f"{front.compare(1, 'knee')}\n")
    desk.keep("compared-bare.txt", f"{front.compare(2, 3, show_labels=False)}\n")


def ask_release(desk: Desk) -> None:
    """Everything that a release says about itself, and verification by functions."""
    spec = sf.Spec.load(lay_out(desk, "confidential.toml", Plan(rows=160)))
    release = sf.explore(None, spec).pick("knee").release()
    lines = [repr(release), f"left out {release.left_out}, {release.classes} classes", f"{release.recoding}"]
    lines += [f"{item.name}: {item.scheme} {list(item.labels)}" for item in release.groupings]
    desk.keep("release.txt", "\n".join(lines) + "\n")
    desk.keep_json("measures", release.measures)
    desk.keep_json("verified", release.verify())
    desk.keep_json("run", release.run)
    release.write("a.csv")
    desk.keep_json("verify", sf.verify("a.csv", spec, "people.csv"))
    risk = sf.risk("people.csv", ["age", "zip"], ["ill"], release="a.csv", seed=2, spec=spec.data)
    desk.keep_json("risk", risk.to_dict())
    release.report("r.html", show_values=False)
    desk.keep_files("r.html")


def reuse_recipes(desk: Desk) -> None:
    """Recipes of two schemes on new rows, and on too few."""
    old, new = draw_people(120), draw_people(60, seed=3)
    write_table(desk.folder / "new.csv", {name: [*old[name], *new[name]] for name in old})
    write_table(desk.folder / "few.csv", draw_people(9, seed=4))
    for name in ("cuts", "ordered"):
        spec = sf.Spec.load(lay_out(desk, f"{name}.toml", Plan()))
        sf.anonymize(None, spec).write(f"{name}.csv")
        recipe = sf.Recipe.load(f"{name}.csv.json")
        recipe.save(f"{name}-recipe.json")
        desk.keep_files(f"{name}-recipe.json")
        recipe.apply("new.csv", unknown="generalize").write(f"{name}-new.csv")
        desk.keep_files(f"{name}-new.csv", f"{name}-new.csv.json")
        desk.run(f"{name}-verify", "verify", f"{name}-new.csv", "--data", "new.csv")
        desk.run(f"{name}-apply", "apply", f"{name}.csv.json", "people.csv", "--out", f"{name}-again.csv")
        desk.keep(f"{name}-few.txt", refusal(recipe, "few.csv"))


def refusal(recipe: sf.Recipe, path: str) -> str:
    """Return why a recipe cannot be applied to a file."""
    try:
        recipe.apply(path)
    except sf.SfumatoError as error:
        return f"{type(error).__name__}: {error}\n"
    raise AssertionError("a recipe was applied to too few rows")


CASES: dict[str, Callable[[Desk], None]] = {
    "python-front": ask_front,
    "python-release": ask_release,
    "recipes": reuse_recipes,
}
