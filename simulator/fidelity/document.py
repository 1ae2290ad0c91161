"""``docs/fidelity.md``: the rules and the measurement as a document, in English."""

from collections.abc import Iterator

from simulator.engine.projection.text import unfilled
from simulator.engine.versions import MINORS, about
from simulator.engine.versions.patches import PATCHES, patch_of
from simulator.fidelity.measured import Measured, read_unread
from simulator.fidelity.reasons import REASONS
from simulator.fidelity.rows import RuleRow, unshown

HEAD = """# Fidelity

This chapter says how accurate Podscope is and how to check it. It is for users who want to know
what they can rely on, and for contributors who change the engine. `python manage.py fidelity`
writes it; the page `/fidelity/` shows the same.

Case tables, example manifests and recordings of a real node are not part of this repository; the
command takes the folders that contain them (`--cases`, `--examples`, `--answers`, `--recordings`,
`--compare`). Facts from every family of tables and from more than fifty recordings are restated in
`tests/fidelity/`. These tests, and the stories and tests that show each rule, run in `make test`.
"""
KINDS = {
    "recordings": "Recordings of a real node",
    "describe": "Output of kubectl describe",
    "answers": "Answers of an API server",
    "cases": "Case tables",
    "examples": "Examples of the documentation",
}

ASKED = """The comparisons call the same code as a run. Recordings, examples, recorded changes and defaults are
played as runs of their own. Of the tables, `pdb` and the orphans of `podgc` go through the store
and the controllers of a run; every other family goes to the function that a run calls at that
point, unless a note says otherwise. The recordings share one cluster file, but their cluster grew
while they were made: if the scheduler in a recording counted fewer nodes, the last nodes of the
file that the recording never names are left out, and everything else in its messages is compared.
Facts that need a controller or a server program that is not simulated are left out, and so are
answers to requests that the recording does not contain."""

DESCRIBED = """The output of `kubectl describe pods` in a recording agrees if every line of every pod is the same,
whitespace included, except for ids, addresses, ages, token names and measured durations. Dates are
counted from the beginning of the run and must be as close as the stated precision of the
recording's times. *At the moment*: at the instant of the recording, with everything random at its
mean. *Within tolerance*: at some instant within the stated precision of the recording's times. *In
a draw*: the same, but under one of eight seeds, since a recording is one draw of everything random.
The order of Events whose last occurrences are within one second is ignored. If no pod was left, the
output says so and is counted as well."""


PATCH_POLICY = """Each minor stands for its last patch release ({source}, as of {as_of}; minors from {since} on may still
get patches): a backported fix applies from the first minor whose release branch has it. A run of
1.30.2 behaves like one of 1.30. `engine/data/patches.toml` lists the exceptions:"""


def document(rows: list[RuleRow], measured: Measured) -> str:
    """The whole document."""
    return "\n".join([HEAD, *_agreement(measured), "", *_differences(measured), "", *_patches(), "", *_unread(), "", *_rules(rows)]) + "\n"


def _agreement(measured: Measured) -> Iterator[str]:
    yield "## Measured agreement\n"
    yield "| What | Set | Agree | Of | Share | Left out |\n| --- | --- | ---: | ---: | ---: | ---: |"
    for suite in measured.suites:
        yield f"| {KINDS[suite.kind]} | {suite.name} | {suite.agree} | {suite.total} | {suite.percent} | {suite.left_out or ''} |"
    yield ""
    for stamp, kinds in measured.stamped():
        names = ", ".join(KINDS[kind].lower().replace("api ", "API ") for kind in kinds)
        yield f"Measured at commit {stamp.commit} on {stamp.date}, engine revision {stamp.revision}: {names}.\n"
    yield f"{ASKED}\n"
    for suite in measured.suites:
        if suite.note:
            yield f"- `{suite.name}`: {suite.note}"
    yield f"\n{DESCRIBED}"


def _differences(measured: Measured) -> Iterator[str]:
    yield "## Remaining differences\n"
    if not measured.differences:
        yield "None."
    for item in measured.differences:
        yield f"- **{item.name}**: {REASONS.get(item.name, 'Not explained yet.')}"
        yield from (f"  - `{line}`" for line in item.lines)


def _patches() -> Iterator[str]:
    yield f"## Patch releases\n\n{PATCH_POLICY.format(source=PATCHES.source, as_of=PATCHES.as_of, since=PATCHES.supported_since)}\n"
    yield from (f"- {each.minors}: {each.reason} ({each.source})" for each in PATCHES.exceptions)
    yield "\n| Minor | Stands for |\n| --- | --- |"
    yield from (f"| {minor} | {patch_of(minor)} |" for minor in MINORS)


def _unread() -> Iterator[str]:
    yield "## Known but not simulated yet\n"
    yield "The version profiles contain these settings with their sources; they do not affect runs yet.\n"
    for field in read_unread():
        yield f"- `{field}`: {about(field).note}"


def _rules(rows: list[RuleRow]) -> Iterator[str]:
    silent = unshown(rows)
    yield f"## Rules\n\n{len(rows)} rules, {len(rows) - len(silent)} of them shown by a story or a test.\n"
    if silent:
        yield f"Shown by none: {', '.join(f'`{row.rule.id}`' for row in silent)}.\n"
    yield "| Rule | Sentence | Versions | Source | Sure | Shown by |\n| --- | --- | --- | --- | --- | --- |"
    for row in rows:
        cells = (f"`{row.rule.id}`", unfilled(row.rule.sentence), row.versions, row.rule.source, row.rule.sure, ", ".join(row.shown_by[:3]))
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
