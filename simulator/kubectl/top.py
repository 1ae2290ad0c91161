"""``kubectl top pods`` and ``kubectl top nodes``: what metrics-server tells of their use.

Source: kubectl pkg/cmd/top, pkg/metricsutil/metrics_printer.go. A node's use is that of its pods: nothing else runs there.

metrics-server scrapes now and then, so a young pod has no row yet. Node shares are of what is allocatable, rounded
down as in kubectl.
"""

from collections.abc import Iterator

from simulator.engine.network.metrics import PodUse, pod_use
from simulator.engine.world.lookups import pods_on
from simulator.engine.world.rows import NodeRow, PodRow
from simulator.kubectl.align import table
from simulator.kubectl.find import namespace_of
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.tables.model import Sight

_MIB = 1 << 20
_ASK = "error: you must say what to show: kubectl top pods or kubectl top nodes"


def top(line: Line, sight: Sight) -> str:
    """The answer of ``kubectl top``. Raises BadLine."""
    word = line.words[0] if line.words else ""
    if word in ("pod", "pods", "po"):
        return _pods(line, sight)
    if word in ("node", "nodes", "no"):
        return _nodes(line, sight)
    raise BadLine(f'error: unknown command "{word}" for "kubectl top"' if word else _ASK)


def _pods(line: Line, sight: Sight) -> str:
    space, by_container, everywhere = namespace_of(line, sight), line.has("containers"), line.has("all-namespaces")
    names = line.words[1:]
    found = [item for item in _uses(sight) if space in ("", item[0].namespace) and (not names or item[0].name in names)]
    known = {row.name for row, _ in found}
    for name in names:
        # Also a pod that exists, as long as nothing has been scraped of it.
        if name not in known:
            raise BadLine(f'Error from server (NotFound): podmetrics.metrics.k8s.io "{space}/{name}" not found')
    if not found:
        return f"No resources found in {space} namespace.\n" if space else "No resources found\n"
    rows = [[*([row.namespace] if everywhere else []), *cells] for row, use in found for cells in _pod_cells(row, use, by_container)]
    head = ["POD", "NAME"] if by_container else ["NAME"]
    return _table([*(["NAMESPACE"] if everywhere else []), *head, "CPU(cores)", "MEMORY(bytes)"], rows, line)


def _uses(sight: Sight) -> list[tuple[PodRow, PodUse]]:
    """The pods of which something is known, by namespace and name."""
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
    nodes = sight.world.tables.nodes
    names = line.words[1:] or tuple(sorted(name for name, row in nodes.items() if not row.is_deleted))
    rows = []
    for name in names:
        row = nodes.get(name)
        if row is None or row.is_deleted:
            raise BadLine(f'Error from server (NotFound): nodes "{name}" not found')
        rows.append(_node_cells(row, sight))
    return _table(["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"], rows, line)


def _node_cells(row: NodeRow, sight: Sight) -> list[str]:
    uses = [pod_use(sight.world, pod, sight.now_ms) for pod in pods_on(sight.world.tables, row.name)]
    cpu = sum(use.amount("cpu") for use in uses if use is not None)
    memory = sum(use.amount("memory") for use in uses if use is not None) // 1000
    shares = (cpu * 100 // max(1, row.allocatable_cpu_milli), memory * 100 // max(1, row.allocatable_memory_bytes))
    shown = _amounts(cpu, memory)
    return [row.name, shown[0], f"{shares[0]}%", shown[1], f"{shares[1]}%"]


def _table(head: list[str], rows: list[list[str]], line: Line) -> str:
    text = table([head, *rows])
    return text.partition("\n")[2] if line.has("no-headers") else text
