"""``kubectl top pods`` and ``kubectl top nodes``: the usage that metrics-server reports.

Source: kubectl pkg/cmd/top, pkg/metricsutil/metrics_printer.go. A node's usage is that of its pods: nothing else runs
there.

metrics-server scrapes at intervals, so a young pod has no row yet. Node percentages are of the allocatable amount,
rounded down as in kubectl.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar

from simulator.engine.kernel.units import Ms, whole_second
from simulator.engine.model.duration import go_duration
from simulator.engine.model.selectors import BadSelector
from simulator.engine.network.metrics import PodUse, pod_use
from simulator.engine.versions.span import Span
from simulator.engine.world.lookups import pods_on
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.kubectl.align import table
from simulator.kubectl.find import namespace_of
from simulator.kubectl.line import BadLine, Line, unknown_flag
from simulator.kubectl.tables.model import Sight
from simulator.kubectl.tables.selectors import parse_selector

_MIB = 1 << 20
_SHARES_OLD = Span(until=31)
"""The kubectl versions whose header is ``CPU%``; later ones print ``CPU(%)`` (seen with 1.31.0 and 1.32.3)."""
_YOUNG_MS: Ms = 120_000
"""The age up to which kubectl accepts missing metrics (metricsCreationDelay)."""
_SORTED_BY = ("cpu", "memory")
Item = TypeVar("Item")
_ASK = "error: you must say what to show: kubectl top pods or kubectl top nodes"


def top(line: Line, sight: Sight) -> str:
    """The output of ``kubectl top``. Raises BadLine."""
    word = line.words[0] if line.words else ""
    if word in ("pod", "pods", "po"):
        return _pods(line, sight)
    if word in ("node", "nodes", "no"):
        return _nodes(line, sight)
    raise BadLine(f'error: unknown command "{word}" for "kubectl top"' if word else _ASK)


def _pods(line: Line, sight: Sight) -> str:
    if len(line.words) > 2:
        raise BadLine("error: pod [NAME | -l label]\nSee 'kubectl top pod -h' for help and examples")
    space, by_container, everywhere = namespace_of(line, sight), line.has("containers"), line.has("all-namespaces")
    names = line.words[1:]
    fits = _selected(line)
    found = [
        item
        for item in pod_uses(sight)
        if space in ("", item[0].namespace) and (not names or item[0].name in names) and fits(item[0].pod.metadata.labels)
    ]
    found = _sorted(found, line, lambda item: (item[1].amount("cpu"), item[1].amount("memory")))
    known = {row.name for row, _ in found}
    for name in names:
        # This includes a pod that exists but has not been scraped yet.
        if name not in known:
            raise BadLine(f'Error from server (NotFound): podmetrics.metrics.k8s.io "{space}/{name}" not found')
    if not found:
        _check_ages([row for row in sight.world.tables.pods.values() if row.gone_ms is None and space in ("", row.namespace)], fits, sight)
        return f"No resources found in {space} namespace.\n" if space else "No resources found\n"
    rows = [[*([row.namespace] if everywhere else []), *cells] for row, use in found for cells in _pod_cells(row, use, by_container)]
    head = ["POD", "NAME"] if by_container else ["NAME"]
    before = ["NAMESPACE"] if everywhere else []
    if line.has("sum") and not line.has("no-headers"):
        blank = [""] * (len(before) + len(head))
        cpu, memory = (sum(use.amount(name) for _, use in found) for name in ("cpu", "memory"))
        rows += [[*blank, "________", "________"], [*blank, *_amounts(cpu, memory // 1000)]]
    return _table([*before, *head, "CPU(cores)", "MEMORY(bytes)"], rows, line)


def _sorted(found: list[Item], line: Line, use: Callable[[Item], tuple[int, int]]) -> list[Item]:
    """The items sorted by ``--sort-by``, highest usage first. Raises BadLine."""
    by = line.value("sort-by")
    if by not in ("", *_SORTED_BY):
        raise BadLine("error: --sort-by accepts only cpu or memory")
    return sorted(found, key=lambda item: -use(item)[_SORTED_BY.index(by)]) if by else found


def _selected(line: Line) -> Callable[[dict[str, str]], bool]:
    try:
        return parse_selector(line.value("selector"))
    except BadSelector as error:
        raise BadLine(f"error: {error}") from None


def _check_ages(rows: list[PodRow], fits: Callable[[dict[str, str]], bool], sight: Sight) -> None:
    """Raise BadLine if there are pods but no metrics: young pods may have none yet.

    Source: kubectl pkg/cmd/top/top_pod.go verifyEmptyMetrics, checkPodAge.
    """
    chosen = sorted((row for row in rows if fits(row.pod.metadata.labels)), key=lambda row: (row.namespace, row.name))
    for row in chosen:
        age_ms = sight.now_ms - whole_second(row.created_ms)
        if age_ms > _YOUNG_MS:
            raise BadLine(f"error: Metrics not available for pod {row.namespace}/{row.name}, age: {go_duration(age_ms)}")
    if chosen:
        raise BadLine("error: metrics not available yet")


def pod_uses(sight: Sight) -> list[tuple[PodRow, PodUse]]:
    """The pods that have metrics, by namespace and name."""
    rows = (row for row in sight.world.tables.pods.values() if row.gone_ms is None)
    found = ((row, pod_use(sight.world, row, sight.now_ms)) for row in rows)
    return sorted(((row, use) for row, use in found if use is not None), key=lambda item: (item[0].namespace, item[0].name))


def _pod_cells(row: PodRow, use: PodUse, by_container: bool) -> Iterator[list[str]]:
    if not by_container:
        yield [row.name, *_amounts(use.amount("cpu"), use.amount("memory") // 1000)]
        return
    for name, cpu, memory in sorted(use.containers):
        yield [row.name, name, *_amounts(cpu, memory)]


def _amounts(cpu: int, memory: int) -> list[str]:
    return [f"{cpu}m", f"{memory // _MIB}Mi"]


def _nodes(line: Line, sight: Sight) -> str:
    if len(line.words) > 2:
        raise BadLine("error: node [NAME | -l label]\nSee 'kubectl top node -h' for help and examples")
    if line.has("sum"):
        raise unknown_flag("sum", "top node")
    nodes = sight.world.tables.nodes
    names = line.words[1:] or tuple(sorted(name for name, row in nodes.items() if not row.is_deleted))
    rows = []
    for name in names:
        row = nodes.get(name)
        if row is None or row.is_deleted:
            raise BadLine(f'Error from server (NotFound): nodes "{name}" not found')
        rows.append(_node_cells(row, sight))
    if line.value("sort-by"):
        uses = {row.name: (cpu, memory) for row, cpu, memory in node_uses(sight)}
        rows = _sorted(rows, line, lambda cells: uses[cells[0]])
    share = "%" if _SHARES_OLD.holds_for(sight.minor) else "(%)"
    return _table(["NAME", "CPU(cores)", f"CPU{share}", "MEMORY(bytes)", f"MEMORY{share}"], rows, line)


def node_uses(sight: Sight) -> Iterator[tuple[NodeRow, int, int]]:
    """The nodes by name with their usage: millicores of CPU, and bytes. O(pods)."""
    nodes = sight.world.tables.nodes
    for name in sorted(name for name, row in nodes.items() if not row.is_deleted):
        yield nodes[name], *_node_use(nodes[name], sight)


def _node_use(row: NodeRow, sight: Sight) -> tuple[int, int]:
    uses = [pod_use(sight.world, pod, sight.now_ms) for pod in pods_on(sight.world.tables, row.name)]
    cpu = sum(use.amount("cpu") for use in uses if use is not None)
    return cpu, sum(use.amount("memory") for use in uses if use is not None) // 1000


def _node_cells(row: NodeRow, sight: Sight) -> list[str]:
    cpu, memory = _node_use(row, sight)
    shares = (cpu * 100 // max(1, row.allocatable_cpu_milli), memory * 100 // max(1, row.allocatable_memory_bytes))
    shown = _amounts(cpu, memory)
    return [row.name, shown[0], f"{shares[0]}%", shown[1], f"{shares[1]}%"]


def _table(head: list[str], rows: list[list[str]], line: Line) -> str:
    """The table as top prints it: the last column is padded like the others, and without a header none is widened for it."""
    shown = rows if line.has("no-headers") else [head, *rows]
    return table([[*row, ""] for row in shown])
