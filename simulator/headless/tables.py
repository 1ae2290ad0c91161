"""Print a run as kubectl would: the rows of ``kubectl get pod -w``, and the list of Events."""

from collections.abc import Iterable, Iterator

from simulator.engine import Record, RunHeader
from simulator.engine.apiserver.documents.moments import since
from simulator.engine.past.document import past_of

WIDTHS = (34, 8, 28, 10)


def watch_table(records: Iterable[Record], *, until_ms: int, header: RunHeader) -> Iterator[str]:
    """One line per change of a pod's printed columns, as ``kubectl get pod -w`` shows them, with the run's time in front.

    AGE is as in kubectl: an imported pod's counts from its own creation, which may be before the run.
    """
    yield _line(0, ("NAME", "READY", "STATUS", "RESTARTS"), "AGE", head=True)
    past = past_of(header)
    born = {f"pod/{pod.namespace}/{pod.name}": pod.created_ms for pod in past.pods} if past is not None else {}
    for record in records:
        if record.machine != "status_word":
            continue
        # A pod's first row appears at its creation.
        created = born.setdefault(record.subject, record.at_ms)
        if not record.target:
            continue
        name = record.subject.partition("/")[2].partition("/")[2]
        cells = (name, str(record.get("ready")), record.target, str(record.get("restarts")))
        yield _line(record.at_ms, cells, since(created, record.at_ms))
    yield f"{_clock(until_ms):>9}  end of the run"


def _clock(moment: int) -> str:
    return f"{moment // 60000}:{moment // 1000 % 60:02d}.{moment // 100 % 10}"


def _line(moment: int, cells: tuple[str, ...], age: str, *, head: bool = False) -> str:
    time = "TIME" if head else _clock(moment)
    padded = "".join(f"{cell:{width - 1}} " for cell, width in zip(cells, WIDTHS, strict=True))
    return f"{time:>9}  {padded}{age}"


def event_list(records: Iterable[Record]) -> Iterator[str]:
    """Every write of a Kubernetes Event: time, type, reason, object, message, count."""
    yield f"{'TIME':>9}  {'TYPE':8}{'REASON':22}{'OBJECT':30}MESSAGE"
    for record in records:
        if record.machine != "k8s_event":
            continue
        count = record.get("count")
        times = f" (x{count})" if count != 1 else ""
        subject = record.subject.partition("/")[2].partition("/")[2]
        message = str(record.get("message")).replace("\n", " ").strip()
        yield f"{_clock(record.at_ms):>9}  {record.get('type')!s:8}{record.target:21} {subject:29} {message}{times}"
