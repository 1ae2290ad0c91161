"""Orders of events that an example promises, such as ``["web terminated", "proxy TERM"]``."""

from collections.abc import Iterable

from simulator.engine import Record

_OF_JOBS = ("SuccessCriteriaMet", "FailureTarget", "Complete", "Failed")
"""Conditions of a Job, which its controller records by name."""


def in_that_order(records: Iterable[Record], wanted: list[str]) -> bool:
    """Whether no fact first becomes true before the one listed before it."""
    places = [place_of(list(records), fact) for fact in wanted]
    return all(place is not None for place in places) and places == sorted(place for place in places if place is not None)


def place_of(records: list[Record], fact: str) -> int | None:
    """The number of the record with which a fact first becomes true; None if it never does."""
    name, _, happening = fact.rpartition(" ")
    if fact in _OF_JOBS:
        return _first(records, "note", (fact,), "")
    if fact == "postStart hook finished":
        return _first(records, "hook", ("done", "failed"), "")
    if fact.startswith("container state "):
        return _first(records, "container_status", (happening,), "")
    if happening == "TERM":
        return _first(records, "stop", ("term_sent", "term", "signalled"), name)
    return _first(records, "container", {"started": ("running",), "terminated": ("exited",)}.get(happening, ()), name)


def _first(records: list[Record], machine: str, targets: tuple[str, ...], container: str) -> int | None:
    for record in records:
        if record.machine == machine and record.target in targets and container in ("", record.subject.rpartition("/")[2]):
            return record.seq
    return None
