"""The fate of a request sent now: answered, refused, reset, timed out, and for which reason.

The checks go from the outside inwards: does the pod still exist with this uid, is its node
on, can the two nodes reach each other, has the pod an address, does a process listen, does it answer
in time. The first that fails gives the reason. An endpoint that a proxy still lists although its
pod has stopped listening gives "refused" (TRAFFIC-STILL-LISTED), which is the classic error of a rolling
update without a preStop delay; if the pod is gone altogether there is no answer, and the client
waits for its timeout.

These rules are our model of a client; Kubernetes does not define them.
"""

from msgspec.structs import replace

from simulator.engine import containers as behaviour
from simulator.engine.containers.declared import BadBehaviour, parse_block
from simulator.engine.containers.effort import Meter
from simulator.engine.containers.process.turn import Host
from simulator.engine.kernel.caching import cached_when_short
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key, Ms, Seq
from simulator.engine.machines.requests import REQUESTS
from simulator.engine.network.load.spec import Load
from simulator.engine.network.network import host_for
from simulator.engine.network.proxy import Backend
from simulator.engine.network.reach import are_parted, is_cut_off
from simulator.engine.network.services import pod_address
from simulator.engine.world.rows import NOBODY_ANSWERS, Fate, Instance, Life, PodRow
from simulator.engine.world.world import World

OK, RETRIED, ERROR, REFUSED, RESET, TIMEOUT = "answered", "retried", "error", "refused", "reset", "timeout"
FAILED = (ERROR, REFUSED, RESET, TIMEOUT)
NO_POD = "-"
"""Stands for the pod in the subject of requests that reach none."""
_SOURCE = "our model of a client's requests; "

RULES = (
    RuleText("TRAFFIC-ANSWERED", gettext_noop("The container is listening, so requests are answered."), _SOURCE + "connect(2)"),
    RuleText(
        "TRAFFIC-FALLBACK",
        gettext_noop("No endpoint is ready, so the service proxy of {node} sends requests to pods that are terminating but still serving."),
        "pkg/proxy/topology.go CategorizeEndpoints; gate ProxyTerminatingEndpoints",
    ),
    RuleText(
        "TRAFFIC-RETRIED",
        gettext_noop("The first attempt fails; the client retries at once, and another endpoint answers."),
        _SOURCE + "retries",
    ),
    RuleText(
        "TRAFFIC-NO-ENDPOINT",
        gettext_noop("The service proxy of {node} knows of no ready endpoint: it rejects the connection, so it is refused."),
        "pkg/proxy/iptables/proxier.go (REJECT, has no endpoints)",
    ),
    RuleText(
        "TRAFFIC-NO-SERVICE",
        gettext_noop("The service proxy of {node} does not know the Service and port: nothing answers at its address."),
        "pkg/proxy/iptables/proxier.go syncProxyRules",
    ),
    RuleText(
        "TRAFFIC-STILL-LISTED",
        gettext_noop(
            "The service proxy of {node} still sends requests to the pod {after_ms} ms after its deletion began, but its container no "
            "longer listens: the connection is refused."
        ),
        "pkg/proxy/iptables/proxier.go; pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer",
    ),
    RuleText(
        "TRAFFIC-NOT-LISTENING",
        gettext_noop("The endpoint is listed, but its container does not listen on port {port}: the connection is refused."),
        _SOURCE + "connect(2) ECONNREFUSED",
    ),
    RuleText(
        "TRAFFIC-RESTARTING",
        gettext_noop("The endpoint is listed, but its container is not running; connections are refused until it has restarted."),
        _SOURCE + "connect(2) ECONNREFUSED",
    ),
    RuleText(
        "TRAFFIC-HUNG",
        gettext_noop("The pod’s process is making no progress: the request waits until the client gives up."),
        _SOURCE + "timeout",
    ),
    RuleText(
        "TRAFFIC-GONE",
        gettext_noop("The service proxy of {node} still sends requests to the pod’s address, which no longer belongs to anything."),
        "pkg/proxy/iptables/proxier.go; the network plugin has taken the address back",
    ),
    RuleText("TRAFFIC-NODE-DOWN", gettext_noop("The node {node} is powered off: requests through it time out."), _SOURCE + "timeout"),
    RuleText(
        "TRAFFIC-NODE-CUT",
        gettext_noop("The node {node} is disconnected from the other nodes: requests between it and them time out."),
        _SOURCE + "timeout",
    ),
    RuleText(
        "TRAFFIC-SLOW",
        gettext_noop("The response takes {answer_ms} ms, longer than the client waits."),
        _SOURCE + "timeout",
    ),
    RuleText("TRAFFIC-ERROR", gettext_noop("The server answers with status {status}."), _SOURCE + "HTTP status"),
    RuleText(
        "TRAFFIC-CUT",
        gettext_noop(
            "The process ended while {count} {count:request was|requests were} in flight: {count:its connection "
            "is|their connections are} reset."
        ),
        _SOURCE + "tcp(7) RST at the end of a process",
    ),
    RuleText(
        "TRAFFIC-NO-ANSWER",
        gettext_noop("The container accepts the connection and closes it without a response."),
        _SOURCE + "HTTP",
    ),
    RuleText("TRAFFIC-NONE", gettext_noop("The Service no longer sends requests to the pod."), _SOURCE + "endpoints"),
)


def fate_by(rule: str, takes_ms: Ms = 0, life: Life = NOBODY_ANSWERS, *, cause: Seq = 0, **data: str | int) -> Fate:
    """A request's fate under a rule."""
    return Fate(REQUESTS.decided(rule).target, rule, takes_ms, life, tuple(data.items()), cause)


def nowhere(rule: str, node: str, load: Load, cause: Seq = 0) -> Fate:
    """The fate of a request that reaches no pod; one that is not refused waits for its client's timeout."""
    fate = fate_by(rule, cause=cause, node=node)
    return replace(fate, takes_ms=load.timeout_ms) if fate.outcome == TIMEOUT else fate


def is_off(world: World, node: str) -> bool:
    """Whether the machine is switched off or does not exist."""
    life = world.tables.node_life.get(node)
    return life is None or life.power == "off"


def fate_of(world: World, backend: Backend, load: Load, node: str, cause: Seq) -> Fate:
    """The fate of a request that the proxy of ``node`` sends to a backend now. About 10 µs."""
    row = world.tables.pods.get(world.tables.names.get((backend.namespace, backend.pod), ""))
    if row is None or row.uid != backend.uid:
        return nowhere("TRAFFIC-GONE", node, load, cause)
    if is_off(world, row.node):
        return nowhere("TRAFFIC-NODE-DOWN", row.node, load, cause)
    if are_parted(world, node, row.node):
        return nowhere("TRAFFIC-NODE-CUT", row.node if is_cut_off(world, row.node) else node, load, cause)
    if not pod_address(world, row):
        sandbox = world.tables.sandboxes.get(row.key)
        return nowhere("TRAFFIC-GONE", node, load, sandbox.seq if sandbox is not None else row.deletion_seq)
    for item in world.tables.instances.get(row.key, ()):
        if item.runs and item.process is not None:
            found = _answer_of(world, row, item, backend, load, node, cause)
            if found is not None:
                return found
    return _refused(world, row, backend, node, cause)


def _answer_of(world: World, row: PodRow, item: Instance, backend: Backend, load: Load, node: str, cause: Seq) -> Fate | None:
    """The fate of the request at this container; None if none of its processes listens."""
    assert item.process is not None
    life: Life = (row.key, item.container, item.attempt)
    outcome = behaviour.tcp_connect(item.process, port=backend.port, host=Host(world.now_ms))
    if outcome == "timeout":  # a process that hangs keeps its ports open
        return fate_by("TRAFFIC-HUNG", load.timeout_ms, life, cause=item.seq)
    if outcome != "accepted":
        return None
    takes_ms = load.duration_ms
    if load.path:
        host = host_for(world, row.key, item.container)
        answer = behaviour.http_get(item.process, port=backend.port, path=load.path, host=host, meter=Meter())
        takes_ms += answer.delay_ms
        if answer.outcome == "timeout":
            takes_ms = load.timeout_ms + 1
        elif answer.outcome != "answered":
            return fate_by("TRAFFIC-NO-ANSWER", life=life, cause=item.seq)
        elif answer.status >= 400 and takes_ms <= load.timeout_ms:
            return fate_by("TRAFFIC-ERROR", takes_ms, life, cause=item.seq, status=answer.status)
    if takes_ms > load.timeout_ms:
        return fate_by("TRAFFIC-SLOW", load.timeout_ms, life, cause=item.seq, answer_ms=takes_ms)
    if backend.is_leaving:
        return fate_by("TRAFFIC-FALLBACK", takes_ms, life, cause=max(cause, item.seq), node=node)
    return fate_by("TRAFFIC-ANSWERED", takes_ms, life, cause=max(cause, item.seq))


def _refused(world: World, row: PodRow, backend: Backend, node: str, cause: Seq) -> Fate:
    instances = world.tables.instances.get(row.key, ())
    seq = max((item.seq for item in instances), default=cause)
    if row.deletion_ms is not None:
        return fate_by("TRAFFIC-STILL-LISTED", cause=seq, node=node, after_ms=world.now_ms - (row.deletion_asked_ms or 0))
    apps = {item.name for item in row.pod.spec.containers}
    up = any(item.runs for item in instances if item.container in apps)
    rule = "TRAFFIC-NOT-LISTENING" if up else "TRAFFIC-RESTARTING"
    return fate_by(rule, cause=seq, port=backend.port)


def holder_state(world: World, life: Life) -> str:
    """The state of the process that holds a connection: ``there``, ``hung``, ``gone`` or, with its node, ``cut off``."""
    row = world.tables.pods.get(life[0])
    if row is not None and is_off(world, row.node):
        return "cut off"
    for item in world.tables.instances.get(life[0], ()):
        if item.container == life[1] and item.attempt == life[2]:
            alive = item.runs and item.process is not None and item.process.exit_code is None
            return "gone" if not alive or item.process is None else "hung" if item.process.hung else "there"
    return "gone"


@cached_when_short(maxsize=256, chars_max=2000)
def _own_changes(text: str) -> tuple[Ms, ...]:
    """How long after the start of its process a declared server answers differently."""
    try:
        block = parse_block(text)
    except BadBehaviour:
        return ()
    steps = (step for listen in block.listens for steps in (listen.otherwise, *(part for _, part in listen.paths)) for step in steps)
    return (block.startup_ms, *(step.from_ms for step in steps))


def next_change_ms(world: World, pod: Key) -> Ms | None:
    """When a declared server of the pod next answers differently by itself: at the end of its start, or with its next declared answer."""
    found: list[Ms] = []
    for item in world.tables.instances.get(pod, ()):
        if item.process is None or not item.runs:
            continue
        launch = item.process.launch
        found += [item.process.started_ms + moment for moment in _own_changes(launch.behaviour or launch.stand_in)]
    return min((moment for moment in found if moment > world.now_ms), default=None)
