"""The README of the study, from the results alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.common import verdicts
from studies.common.markdown import count, wrap
from studies.granulation import census, paper, tables
from studies.granulation.check import check
from studies.granulation.glance import looks

if TYPE_CHECKING:
    from pathlib import Path

    from studies.common.results import Results


def write_readme(results: Results, folder: Path) -> None:
    """Write ``README.md`` into a folder."""
    sections = [
        _head(results),
        _example(results),
        _settings(results),
        _tests(),
        _tests_table(results),
        _genetic(results),
        _verdicts(results),
        _limits(),
    ]
    text = "\n\n".join(wrap(section) for section in sections) + "\n"
    (folder / "README.md").write_text(text, encoding="utf-8", newline="\n")


def _head(results: Results) -> str:
    if results["quick"]:
        short = "**This was a quick run. Its numbers mean nothing; they only show that everything runs.**"
    else:
        short = _short(results)
    return f"""
# Attribute-oriented granulation, run again

**Question.** Do the searches find all most specific secure recodings, with how many security tests, and how
often does the genetic algorithm find the secure recoding with the largest product of security and quality?

**Paper.** Attribute-oriented granulation for privacy protection. It shows one table of eleven persons and no
experiment; the census is ours.

**Run it.** `python -m studies granulation` writes `results.json`, this file and `figures/`; with `--redraw`
it writes the latter two from `results.json` alone. With the same versions the numbers are the same, but
for the times.

## In short

{short}
"""


def _short(results: Results) -> str:
    cases = [found for found in census.in_order(results) if found["plain"]["variant"] != "all"]
    shares = [found["incognito"]["tests"] / found["plain"]["tests"] for found in cases]
    hits = [found["ga"]["hits"] for found in census.in_order(results)]
    runs = results["example"]["ga"]["runs"]
    largest = [found["untouched"]["is_largest"] for found in census.in_order(results)]
    held = verdicts.summary(check(results))
    return f"""
- The running example comes out as the paper has it, but for two slips that are named below.
- Incognito, adapted to security, finds the same most specific recodings as the plain search with
  {100 * min(shares):.0f} to {100 * max(shares):.0f} % of its tests on the census.
- The genetic algorithm finds the secure recoding of largest sf·ql in {min(hits)} to {max(hits)} of {runs}
  runs, and what it finds is never below {100 * _lowest(results):.0f} % of it.
- One number is a poor guide: without a requirement, sf·ql is largest for the untouched table in
  {sum(largest)} of {len(largest)} cases. Offer sf and ql as two objectives, with `secure` required.
- {held}
"""


def _lowest(results: Results) -> float:
    """Return the smallest product that a run on the census found, as a share of the optimum."""
    return min(
        min(found["ga"]["product"]["values"]) / found["optimum"]["product"]
        for found in census.in_order(results)
    )


def _example(results: Results) -> str:
    found = results["example"]
    chosen = paper.words(paper.CHOSEN)
    specific = " and ".join(map(paper.words, found["plain"]["specific"]))
    return f"""
## The running example

Eleven persons, {found["recodings"]} recodings: four partitions of dates, six of ZIP codes, five of heights.
{chosen} makes three classes: {_classes(found["classes"])}. Released by labels (Figure 2) and by statistics of
each block over all rows, not of each class (Figure 4: `output = "median"` and `"mean"`); both releases are
verified like any other:

{tables.released(results)}

With Health = 2 confidential for everyone, this recoding is {_is(found["chosen"]["everyone"])}. With
Health = 1 confidential for u1 it is {_is(found["chosen"]["first"])}: u1, u2 and u3 all have it. Of the
{found["recodings"]} recodings {found["secure"]} are secure for the former, and the most specific ones are
{specific}.

![All recodings of the running example between sf and ql](figures/example.png)

**Every recoding of the running example.** sf is a mean over persons, and security is about each of them: two
recodings may have the same sf, one secure and one not. The untouched table has sf·ql = {found["untouched"]["product"]:.3f}, the best secure recoding,
{paper.words(found["optimum"]["node"])}, {found["optimum"]["product"]:.3f}.

Codes: {chosen} is `{found["codes"]["chosen"]}`. Crossing `{paper.PARENTS[0]}` and `{paper.PARENTS[1]}`
after the third bit gives {_pair(found["codes"]["children"])}, which stand for no recoding; modulo makes them
{_pair(found["codes"]["repaired"])}.

Two slips of the paper: Figure 4 has the ZIP code 26617 for u7 to u11, the middle row, where the median is
26328; and the second crossover of Figure 8, called two points, has one.
"""


def _classes(classes: list[list[int]]) -> str:
    return ", ".join("{" + ", ".join(f"u{person}" for person in group) + "}" for group in classes)


def _pair(codes: list[str]) -> str:
    return " and ".join(f"`{code}`" for code in codes)


def _is(holds: bool) -> str:
    return "secure" if holds else "not secure"


def _settings(results: Results) -> str:
    settings = results["settings"]
    versions = ", ".join(f"{name} {number}" for name, number in sorted(results["versions"].items()))
    rows = census.in_order(results)[0]["rows"]
    return f"""
## The census: data and settings

The embedded census table (UCI Adult, {count(rows)} complete rows) with seven quasi-identifiers of the
specification that `sfumato.datasets.adult_spec_path()` names; occupation and salary class are sensitive.

- *A high salary*: `{census.SALARY}`, confidential for everyone.
- *Every occupation*: one sentence for each of the {len(census.OCCUPATIONS)}, for everyone.
- *Three occupations of the young*: `{census.SECRETS[2].sentences[1]["sentence"]}`, confidential for those
  under 30.
- *1 % suppressed*: classes that disclose something may be suppressed, up to 1 % of the rows.

The genetic algorithm, the paper being silent: population {settings["population"]},
{settings["iterations"]} generations, crossover {settings["crossover"]:g} at one or two points, mutation
1 / bits, an elite of {settings["elite"]}, seeds {settings["seeds"][0]} to {settings["seeds"][-1]}. A recoding that is not
secure has the fitness 0. Versions: {versions}.
"""


def _tests() -> str:
    return """
## Security tests

*Plain*: from the most specific recoding upwards, every recoding is tested that has nothing finer that is
secure (Figure 5, visited by longest chains, since by queue depth alone orders that are not graded give wrong
answers). *Incognito*: recodings of few attributes come first, all others at their coarsest; what fails there
fails with more attributes (by subset), and what is coarser than a secure recoding is secure (by
generalization).

![Recodings whose security was tested](figures/tests.png)
"""


def _tests_table(results: Results) -> str:
    return f"""
{tables.tests(results)}

Where sentences are confidential for some people only *and* rows may be suppressed, nothing can be pruned: a
class in which nobody holds a sentence is secure, and need not be so united with a suppressed class whose
members hold it. Then every recoding is tested, whichever search is asked for, and `run.json` says so.
"""


def _genetic(results: Results) -> str:
    drawn = results["census"].get(census.DRAWN)
    picture = ""
    if drawn is not None:
        picture = f"""
![Recodings of the census between sf and ql](figures/census.png)

**Recodings of the census** ({drawn["title"]}). Of the
secure ones {count(len(drawn["plain"]["specific"]))} are most specific and {count(drawn["front"])} are on the
exact front of sf and ql; that with the largest product is {_among(drawn)} the most specific.
"""
    return f"""
## The genetic algorithm

{tables.genetic(results)}

A random sample of as many recodings would find the optimum as often as the fourth column says.

{picture}
"""


def _among(found: Results) -> str:
    return "among" if found["optimum"]["node"] in found["plain"]["specific"] else "not among"


def _verdicts(results: Results) -> str:
    return f"""
## What was checked

### Every table of the paper in one look

{verdicts.glance(looks(results), check(results))}

{verdicts.tables(check(results))}
"""


def _limits() -> str:
    return """
## Limits

Security tests are counted, not times: a test of many attributes takes longer than one of few, and what a test
costs depends on what was rolled up before. The census is one table with one set of hierarchies. Logical
security says nothing about classes in which a sentence is true for nearly all.
"""


__all__ = ["write_readme"]
