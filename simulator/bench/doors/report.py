"""What ``manage.py bench doors`` prints."""

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
"""Inputs after which the walk says how far it is."""
SETTINGS = {
    "PODSCOPE_POSTS_PER_SECOND_MAX": "0",
    "PODSCOPE_SWEEP_CELLS_MAX": "20",
    "PODSCOPE_SWEEP_S_MAX": "5",
    "PODSCOPE_PAGE_S_MAX": "10",
}
"""What is counted is kept out of the way, and what an input starts ends soon: each is judged by itself."""
SHOWN_MAX = 20
TOLD_BYTES = 2_000


def report(inputs: int = INPUTS, *, seed: int = 1, only: int | None = None) -> Iterator[str]:
    """Walk a site of its own, and tell what was found. A hundredth of a second an input or so. Raises AssertionError where anything was.

    ``only`` sends the one input of that number, and shows it.
    """
    with measured_site(SETTINGS) as site:
        wired = WiredSite(site)
        with asyncio.Runner() as runner:
            owner, victim = RegularVisitor(wired), RegularVisitor(wired)
            known, own = runner.run(owner.make()), runner.run(victim.make())
            known = replace(known, classes=(*known.classes, *own.classes))  # one's own can be ended
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
        yield walked.found[0].said
    if walked.found:
        raise AssertionError(f"{len(walked.found)} of {walked.inputs} inputs were answered as none may be")


async def _is_well(person: RegularVisitor, own: Known) -> None:
    """What somebody else had open is as it was."""
    for path in (f"/r/{own.runs[0]}/", f"/s/{own.shares[0]}/", f"/sweeps/{own.sweeps[0]}/", "/scenarios/"):
        await person.see(path)


def lines_of(walked: Walked) -> Iterator[str]:
    """A line for each thing that was wrong: how often, at which doors, and an input to send again."""
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
