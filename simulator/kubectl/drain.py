"""What ``kubectl drain`` prints while it runs, worked out from the records of a run.

Source: kubectl pkg/cmd/drain/drain.go RunDrain, deleteOrEvictPodsSimple; pkg/drain/drain.go evictPods; recordings of a
1.20.2 cluster.

A drain requests all evictions at once and prints in the order in which answers arrive. It fails only once the moment of
its last failure is over, because other pods of the same moment still belong to the same answer.
"""

from collections.abc import Iterable, Iterator

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms, Seq
from simulator.engine.versions.facts import Facts

_ASKING = "error when evicting "


def drain_output(records: Iterable[Record], facts: Facts) -> Iterator[tuple[Ms, str]]:
    """The output of every drain, each line with its moment. O(records × drains that run at the same time)."""
    cordoned: dict[str, bool] = {}
    running: dict[str, Draining] = {}
    for record in records:
        for drain in running.values():
            yield from drain.output(record)
        if record.machine != "command" or record.target != "accepted":
            continue
        node = record.subject.removeprefix("node/")
        if record.get("do") == "drain":
            yield record.at_ms, f"node/{node} already cordoned" if cordoned.get(node) else f"node/{node} cordoned"
            cordoned[node] = True
            running[node] = Draining(node, record.seq, facts)  # Ctrl-C ended any earlier one
        elif record.get("do") == "cordon":
            cordoned[node] = record.get("unschedulable") is not False
    for drain in running.values():
        yield from drain.rest()


class Draining:
    """One ``kubectl drain`` of a node. It asks for all pods at once and prints the result once every pod is dealt with."""

    def __init__(self, node: str, command: Seq, facts: Facts) -> None:
        self._node, self._command, self._facts = node, command, facts
        self._here: dict[str, bool] = {}  # pods that are still there, in the order of the requests
        self._open: dict[str, str] = {}  # pods not dealt with yet → evicted or deleted once they are gone, empty while it asks
        self._errors: list[str] = []
        self._failed_ms: Ms = 0
        self._verb = "drained"
        self.is_over = False
        self.has_failed = False

    def output(self, record: Record) -> Iterator[tuple[Ms, str]]:
        """What kubectl prints because of this record, with the moment."""
        if self.is_over:
            return
        # The moment of the failure is over: nothing more can be added to it.
        if record.at_ms > self._failed_ms:
            yield from self.rest()
        pod = record.subject.removeprefix("pod/")
        if record.machine == "drain" and record.subject == f"node/{self._node}":
            yield from ((record.at_ms, line) for line in self._ended(record))
        elif record.machine == "drain" and (record.cause == self._command or pod in self._here):
            yield from ((record.at_ms, line) for line in self._asked(pod, record))
        elif record.machine == "object" and record.target == "gone" and self._here.pop(pod, False):
            verb = self._open.pop(pod, "")
            if verb:
                self._verb = verb
                yield record.at_ms, f"pod/{_name(pod)} {verb}"

    def rest(self) -> Iterator[tuple[Ms, str]]:
        """The end of a drain that has dealt with all its pods and failed for some; nothing while it still waits."""
        if self._errors and not self._open and not self.is_over:
            yield from ((self._failed_ms, line) for line in self._gave_up())

    def _asked(self, pod: str, record: Record) -> Iterator[str]:
        message = str(record.get("message") or "")
        if record.target in ("evict", "retry", "delete"):
            self._here[pod] = True
            self._open[pod] = {"evict": "evicted", "delete": "deleted"}.get(record.target, "")
        if record.target in ("evict", "retry") or (record.target == "failed" and message.startswith(_ASKING)):
            yield f"evicting pod {pod.partition('#')[0]}"  # it prints this first and only then notices the timeout
        if record.target == "retry":
            yield message
        if record.target == "failed":
            self._here[pod] = True
            self._open.pop(pod, None)
            self._errors.append(message)
            self._failed_ms = record.at_ms

    def _ended(self, record: Record) -> Iterator[str]:
        message = str(record.get("message") or "")
        if record.target == "warned":
            yield message
        elif record.target == "drained":
            self.is_over = True
            # The printer of an old kubectl still uses the verb of the last pod (recorded).
            yield f"node/{self._node} {self._verb}" if self._facts.drain_stops_at_first else message
        elif record.target == "refused":
            first, *others = message.split(", cannot delete ")
            yield from self._failed([first, *(f"cannot delete {text}" for text in others)])

    def _gave_up(self) -> Iterator[str]:
        if self._here:
            yield f'There are pending pods in node "{self._node}" when an error occurred: {_together(self._errors)}'
            yield from (f"pod/{_name(pod)}" for pod in sorted(self._here))
        yield from self._failed(self._errors)

    def _failed(self, errors: list[str]) -> Iterator[str]:
        self.is_over = self.has_failed = True
        pending = ("There are pending nodes to be drained:", f" {self._node}")
        if self._facts.drain_stops_at_first:
            yield f'error: unable to drain node "{self._node}", aborting command...\n'
            yield from pending
            yield from (f"error: {text}" for text in errors) if len(errors) == 1 else errors
            return
        blank = " " if self._facts.drain_error_set_off else ""
        yield f'error: unable to drain node "{self._node}" due to error:{blank}{_together(errors)}, continuing command...'
        yield from (*pending, *errors)


def _together(errors: list[str]) -> str:
    return errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]"


def _name(pod: str) -> str:
    return pod.rpartition("/")[2].partition("#")[0]
