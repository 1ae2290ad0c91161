"""What ``kubectl drain`` prints while it runs, told from the records of a run."""

from collections.abc import Iterable, Iterator

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms


def drain_output(records: Iterable[Record]) -> Iterator[tuple[Ms, str]]:
    """The lines of every drain with their moments, in order. O(records)."""
    terminal = _Terminal()
    for record in records:
        for line in terminal.lines(record):
            yield record.at_ms, line


class _Terminal:
    """Which nodes are cordoned and which pods a drain waits for, as far as the records have told."""

    def __init__(self) -> None:
        self._cordoned: dict[str, bool] = {}
        self._leaving: dict[str, str] = {}  # subject of a pod → evicted or deleted

    def lines(self, record: Record) -> Iterator[str]:
        """What kubectl prints at this record."""
        if record.machine == "command" and record.target == "accepted":
            yield from self._command(record)
        elif record.machine == "drain":
            yield from self._step(record)
        elif record.machine == "object" and record.target == "gone" and record.subject in self._leaving:
            yield f"pod/{_name(record)} {self._leaving.pop(record.subject)}"

    def _command(self, record: Record) -> Iterator[str]:
        node = record.subject.removeprefix("node/")
        if record.get("do") == "drain":
            yield f"node/{node} already cordoned" if self._cordoned.get(node) else f"node/{node} cordoned"
            self._cordoned[node] = True
        elif record.get("do") == "cordon":
            self._cordoned[node] = record.get("unschedulable") is not False

    def _step(self, record: Record) -> Iterator[str]:
        message = str(record.get("message") or "")
        if record.target in ("evict", "retry"):
            yield f"evicting pod {record.subject.removeprefix('pod/').partition('#')[0]}"
        if record.target in ("evict", "delete"):
            self._leaving[record.subject] = "evicted" if record.target == "evict" else "deleted"
        elif record.target == "refused":
            node = record.subject.removeprefix("node/")
            listed = f"[{message}]" if message.count("cannot delete ") > 1 else message
            yield f'error: unable to drain node "{node}" due to error:{listed}, continuing command...'
            yield from ("There are pending nodes to be drained:", f" {node}")
        elif record.target == "failed":
            self._leaving.pop(record.subject, None)
            yield message
        elif record.target in ("retry", "drained"):
            yield message


def _name(record: Record) -> str:
    return record.subject.rpartition("/")[2].partition("#")[0]
