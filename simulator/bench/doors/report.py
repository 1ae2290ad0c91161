"""The output of ``manage.py bench doors``."""

import asyncio
from collections.abc import Iterator

from msgspec.structs import replace

from simulator.bench.doors.grammar import case
from simulator.bench.doors.model import Known, Request, Talk
from simulator.bench.doors.walk import RegularVisitor, Walked, walk
from simulator.bench.doors.wire import WiredSite
from simulator.bench.site import measured_site

INPUTS = 20_000
STEP = 2_000
"""Number of inputs after which progress is reported."""
SETTINGS = {
    "PODSCOPE_POSTS_PER_SECOND_MAX": "0",
    "PODSCOPE_SWEEP_CELLS_MAX": "20",
    "PODSCOPE_SWEEP_S_MAX": "5",
    "PODSCOPE_PAGE_S_MAX": "10",
}
"""Rate limits are lifted, and what an input starts ends soon: each input is judged on its own."""
SHOWN_MAX = 20
TOLD_BYTES = 2_000


def report(inputs: int = INPUTS, *, seed: int = 1, only: int | None = None) -> Iterator[str]:
    """Attack a site of its own, and report what was found. About 10 ms per input. Raises AssertionError if anything was found.

    With ``only``, send just the input of that number, and show it.
    """
    with measured_site(SETTINGS) as site:
        wired = WiredSite(site)
        with asyncio.Runner() as runner:
            owner, victim = RegularVisitor(wired), RegularVisitor(wired)
            known, own = runner.run(owner.make()), runner.run(victim.make())
            known = replace(known, classes=(*known.classes, *own.classes))  # a class of one's own can be ended
            if only is not None:
                yield from shown(seed, only, known)
            numbers = range(inputs) if only is None else range(only, only + 1)
            walked = Walked()
            for start in range(0, len(numbers), STEP):
                part = runner.run(walk(wired, known, seed=seed, numbers=numbers[start : start + STEP]))
                walked.inputs += part.inputs
                walked.answers += part.answers
                walked.found += part.found
                yield f"doors     {walked.inputs:,} inputs, {len(walked.found):,} answered as none may be"
            runner.run(_is_well(victim, own))
    yield f"doors     seed {seed}; answers: {', '.join(f'{what} × {count:,}' for what, count in sorted(walked.answers.items()))}"
    yield from lines_of(walked)
    if only is not None and walked.found:
        yield walked.found[0].log
    if walked.found:
        raise AssertionError(f"{len(walked.found)} of {walked.inputs} inputs were answered as none may be")


async def _is_well(person: RegularVisitor, own: Known) -> None:
    """What another visitor had open is unchanged."""
    for path in (f"/r/{own.runs[0]}/", f"/s/{own.shares[0]}/", f"/sweeps/{own.sweeps[0]}/", "/scenarios/"):
        await person.see(path)


def lines_of(walked: Walked) -> Iterator[str]:
    """A line for each kind of problem: how often, at which doors, and an input with which to reproduce it."""
    for wrong, found in walked.kinds().items():
        doors = ", ".join(sorted({each.door for each in found})[:SHOWN_MAX])
        yield f"doors     × {len(found)}: {wrong}: {doors} (again: --case {found[0].number})"


def shown(seed: int, number: int, known: Known) -> Iterator[str]:
    """The input as it is sent."""
    sent = case(seed, number, known).sent
    yield repr(sent.target)
    yield from (f"  {name!r}: {value[:TOLD_BYTES]!r}" for name, value in sent.headers)
    if isinstance(sent, Request):
        yield f"  {sent.method!r} {len(sent.body)} bytes {sent.body[:TOLD_BYTES]!r}"
    elif isinstance(sent, Talk):
        yield from (f"  {message.opcode} {message.payload[:TOLD_BYTES]!r}" for message in sent.messages)
