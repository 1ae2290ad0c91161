"""The outcomes of requests to Services as lines of text: how many, and the reason for each interval of failures."""

from collections.abc import Iterator

from simulator.engine import Record, World
from simulator.engine.machines.requests import REQUESTS
from simulator.engine.network.load.count import by_outcome, totals
from simulator.engine.network.load.fate import FAILED, NO_POD
from simulator.engine.rules.explain import why

OUTCOMES = (*(state.name for state in REQUESTS.states if state.name), "waiting")
"""How a request can end, in the machine's terms; requests that are still waiting have no record, and so no state."""
REASONS_MAX = 20
"""At most this many intervals of failures are printed with their reason; a last line says how many more there are."""


def request_lines(world: World, records: list[Record]) -> Iterator[str]:
    """A table of all Services with a declared load, then why requests failed; nothing if no load is declared. O(records)."""
    if not world.tables.loads:
        return
    yield ""
    yield _line("REQUESTS OF", "SENT", *(outcome.upper() for outcome in OUTCOMES))
    for (namespace, name), row in world.tables.loads.items():
        found = totals(row, world.now_ms)
        yield _counts(f"{namespace}/{name}", by_outcome(found))
        pods = dict.fromkeys(pod for pod, _ in found)
        # The line of a single pod would only repeat that of its Service.
        for pod in pods if len(pods) > 1 else ():
            yield _counts(f"  {pod or NO_POD}", {outcome: found.get((pod, outcome), 0) for outcome in OUTCOMES})
    yield from _reasons(records)


def _counts(name: str, found: dict[str, int]) -> str:
    return _line(name, str(sum(found.values())), *(str(found.get(outcome, 0)) for outcome in OUTCOMES))


def _line(name: str, *cells: str) -> str:
    return f"{name:33} " + " ".join(f"{cell:>9}" for cell in cells)


def _reasons(records: list[Record]) -> Iterator[str]:
    failures = [record for record in records if record.machine == REQUESTS.name and record.target in FAILED]
    for record in failures[:REASONS_MAX]:
        about = record.subject.partition("/")[2]
        yield f"{_clock(record.at_ms)}  {about} {record.target}: {next(iter(why(records, record.seq, limit=1))).text}"
    if len(failures) > REASONS_MAX:
        yield f"… and {len(failures) - REASONS_MAX} more"


def _clock(moment: int) -> str:
    return f"{moment // 60000}:{moment // 1000 % 60:02d}.{moment % 1000:03d}"
