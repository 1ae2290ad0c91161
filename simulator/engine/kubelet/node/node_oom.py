"""A node that runs out of memory: what grows without a limit ends with the kernel's OOM killer when nothing is left.

The kernel kills the process with the highest score: its share of the node's memory plus what the kubelet adds for the QoS
class, so BestEffort pods go first whatever they use. The kubelet reports every kill in an Event about the node.

Growth is a function of time, so the moment at which nothing is left can be computed in advance (by bisection) and queued;
until then no process needs a turn. Whatever changes the sum queues another check. This races with the eviction manager, which
checks every ten seconds, as on a real node: fast growth is killed, slow growth evicted.

Source: observed on a 1.20.2 node; Linux mm/oom_kill.c oom_badness, pkg/kubelet/qos/policy.go.
"""

from msgspec.structs import replace

from simulator.engine import containers as behaviour
from simulator.engine.containers.kernel.memory import may_grow
from simulator.engine.containers.process.state import Process
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Ms
from simulator.engine.kubelet.base.pressure import arm, await_oom, pressure_of_node
from simulator.engine.kubelet.node.eviction_signals import available, pods_of_node
from simulator.engine.kubelet.node.oom_score import NodeMemory, oom_score_adj
from simulator.engine.kubelet.node.usage import running
from simulator.engine.kubelet.pods.containers.instances import carry_out, host_of
from simulator.engine.kubelet.pods.containers.oom_events import report_main
from simulator.engine.model.system import system_of
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import NodeOom
from simulator.engine.world.rows import Instance, NodeRow, PodRow

_MEMORY = "memory.available"

RULES = (
    RuleText(
        "NODE-OOM",
        gettext_noop("The node is out of memory: the kernel kills the process with the highest score ({score})."),
        "pkg/kubelet/qos/policy.go",
    ),
)


def watch(fx: Effects, node: NodeRow) -> bool:
    """Whether something on the node is still growing. If memory will be used up before the next check, queue that moment.

    Windows kills nothing for memory: it pages to disk ("Resource Management for Windows nodes").
    """
    growing = [row for row in pods_of_node(fx, node.name) if any(_grows(fx, item) for item in running(fx, row.key))]
    if not growing:
        return False
    horizon = fx.now + fx.profile.eviction_loop_ms
    if available(fx, node, _MEMORY, at_ms=horizon) == 0 and system_of(node.os).kills_for_memory:
        await_oom(fx, node.name, _moment(fx, node, horizon))
    return True


def _grows(fx: Effects, item: Instance) -> bool:
    return item.process is not None and may_grow(item.process, fx.now)


def _moment(fx: Effects, node: NodeRow, high: Ms) -> Ms:
    """The first millisecond at which nothing is left. O(pods × log time)."""
    low = fx.now
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if available(fx, node, _MEMORY, at_ms=middle) == 0 else (middle, high)
    return high


def node_oom(fx: Effects, event: NodeOom) -> None:
    """The node's memory is used up: the kernel kills. If something is left after all, work out when it will be used up."""
    node = fx.tables.nodes[event.node]
    fx.save_pressure(replace(pressure_of_node(fx, event.node), oom_handle=0))
    if available(fx, node, _MEMORY) > 0:
        watch(fx, node)
        return
    found = [(_score(fx, node, row, item), row, item) for row in pods_of_node(fx, node.name) for item in running(fx, row.key)]
    if not found:
        return
    score, row, item = max(found, key=lambda entry: entry[0])
    assert item.process is not None
    fx.cause = fx.record(
        kind="decision", subject=f"node/{node.name}", machine="oom", target=f"{row.key}/{item.container}", rule="NODE-OOM",
        data=(("score", score), ("container", item.container)),
    )  # fmt: skip
    _kill(fx, row, item, item.process)
    arm(fx, node.name)


def _kill(fx: Effects, row: PodRow, item: Instance, process: Process) -> None:
    """Kill the growing process, as if it had exceeded a limit; if there is none, the container's main process."""
    host = host_of(fx, row.key, item.container)
    if not may_grow(process, fx.now):
        report_main(fx, row.node, item)
        carry_out(fx, row.key, item, behaviour.oom_kill(process, host))
        return
    turn = behaviour.resume(replace(process, launch=replace(process.launch, memory_limit_bytes=1)), host)
    item = carry_out(fx, row.key, item, replace(turn, process=replace(turn.process, launch=process.launch)))
    if item.runs and item.process is not None:
        carry_out(fx, row.key, item, behaviour.resume(item.process, host_of(fx, row.key, item.container)))


def _score(fx: Effects, node: NodeRow, row: PodRow, item: Instance) -> int:
    """The kernel's badness score: memory in thousandths of the node's, plus the adjustment."""
    if item.process is None:
        return -1000
    share = behaviour.memory_bytes(item.process, fx.now) * 1000 // max(node.allocatable_memory_bytes, 1)
    memory = NodeMemory(node.allocatable_memory_bytes, sidecars=fx.profile.sidecar_containers, pod_level=fx.profile.pod_level_resources)
    return share + oom_score_adj(row.pod.spec, item.spec, row.status.qos_class, memory)
