"""The clients of a Service with a declared load: the outcome of their requests, and from when on.

client → service proxy of its node → pod. A request's fate depends on what the proxy of the client's
node knows, on the network between the nodes and on the process that listens. All of these change at
known moments, so nothing is simulated per request: between two changes all requests of a slot (a
client's position in its rotation over endpoints or connections) have the same outcome, and counting them is
arithmetic (``count.py``).

At each change the current plan is settled and a new one made. Requests in flight at that
moment are checked again: those whose process has gone are reset, those whose node is cut off or
whose process hangs time out, all others have the outcome planned when they were sent.

Kept-alive connections stay with the process that accepted them, whatever the proxy learns since: a
new pod gets none of their requests until one of them breaks.

A new check is planned for the next moment at which something changes by itself: a proxy's rules
being written, or a declared server answering differently. Other changes are reported by the
watches.
"""

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from simulator.engine.kernel.machine import DECIDED
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.machines.requests import REQUESTS
from simulator.engine.model.objects import Service
from simulator.engine.network.endpoints import slices_of
from simulator.engine.network.load.count import by_outcome, pieces, settle, settled, totals
from simulator.engine.network.load.fate import (
    ERROR,
    FAILED,
    NO_POD,
    OK,
    REFUSED,
    RESET,
    RETRIED,
    TIMEOUT,
    fate_by,
    fate_of,
    holder_state,
    is_off,
    next_change_ms,
    nowhere,
)
from simulator.engine.network.load.spec import (
    ANNOTATION,
    ENTRIES_MAX,
    NO_LOAD,
    OUTSIDE,
    BadLoad,
    Load,
    port_of,
    read_load,
)
from simulator.engine.network.proxy import Backend, backends, learnt, proxy_delay
from simulator.engine.network.reach import is_cut_off
from simulator.engine.network.services import HEADLESS, read_service
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import LoadLook
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import NOBODY_ANSWERS, Fate, Learnt, Life, LoadRow, Piece, Slot
from simulator.engine.world.watch import ADDED, CHANGED, GONE, Watch
from simulator.engine.world.world import ApiObject, World

COMPONENT = "clients"
_WORST = (OK, RETRIED, ERROR, REFUSED, TIMEOUT, RESET)

RULES = (
    RuleText(
        "LOAD-UNREADABLE",
        gettext_noop("The annotation podscope.dev/load is invalid, so no requests are sent."),
        "our choice; docs/services.md",
    ),
)


def _service_written(fx: Effects, old: ApiObject | None, row: ApiObject) -> None:
    """A Service may have got a load, changed it, or be gone."""
    service = read_service(row.document) if f'"{ANNOTATION}"' in row.document else None
    if service is None and (row.namespace, row.name) not in fx.tables.loads:
        return
    fx.check(fx.now, Lane.HOUSEKEEPING, LoadLook(row.namespace, row.name))


WATCHES = (Watch(COMPONENT, "Service", ADDED | CHANGED | GONE, _service_written),)


def load_look(fx: Effects, event: LoadLook) -> None:
    """Determine the outcome of a Service's requests from now on, record what is new, plan the next check."""
    key = (event.namespace, event.name)
    held = fx.tables.objects.get(("Service", *key))
    service = read_service(held.document) if held is not None else None
    text = (service.metadata.annotations or {}).get(ANNOTATION, "") if service is not None else ""
    row = fx.tables.loads.get(key) or LoadRow(namespace=event.namespace, name=event.name, text="", since_ms=fx.now, plan_ms=fx.now)
    load = _load_of(fx, row, text)
    is_new = text != row.text
    since_ms = fx.now + load.after_ms if is_new else row.since_ms
    plan: tuple[Slot, ...] = ()
    if service is not None and load.rate_milli and since_ms <= fx.now:
        plan = tuple(_plan(fx.world, key, service, load, () if is_new else row.plan))
    if is_new or row.open or plan != row.plan:  # otherwise everything continues as it is
        row, cut = settle(row, fx.now, _with_fates(fx.world, pieces(row, fx.now)))
        if is_new:
            row = replace(settled(row), text=text, rate_milli=load.rate_milli, since_ms=since_ms)
        row = _record_news(fx, replace(row, plan=plan), cut)
        fx.save_load(row)
    _plan_next(fx, event, row)


def _load_of(fx: Effects, row: LoadRow, text: str) -> Load:
    if not text:
        return NO_LOAD
    try:
        return read_load(text)
    except BadLoad as error:
        if text != row.text:
            fx.note(f"service/{row.namespace}/{row.name}", "bad-load", error.problem, rule="LOAD-UNREADABLE")
        return NO_LOAD


def _with_fates(world: World, found: Iterable[Piece]) -> list[tuple[Piece, Fate | None]]:
    """Each piece with the new fate of its requests still in flight; None: unchanged."""
    # Several slots may lead to one process.
    became: dict[Life, str] = {NOBODY_ANSWERS: "there"}
    fates: list[tuple[Piece, Fate | None]] = []
    for piece in found:
        old = piece.slot.fate
        if old.life not in became:
            became[old.life] = holder_state(world, old.life)
        is_same = became[old.life] == "there" or not old.takes_ms
        fates.append((piece, None if is_same else _now(world, old, became[old.life])))
    return fates


def _now(world: World, old: Fate, found: str) -> Fate | None:
    """The fate of requests in flight to a process whose state is now ``found``."""
    if old.outcome == TIMEOUT and found != "gone":
        return None
    instance = next((item for item in world.tables.instances.get(old.life[0], ()) if (item.container, item.attempt) == old.life[1:]), None)
    rule = {"gone": "TRAFFIC-CUT", "hung": "TRAFFIC-HUNG"}.get(found, "TRAFFIC-NODE-DOWN")
    return fate_by(rule, cause=instance.seq if instance is not None else old.cause)


def clients_of(world: World, load: Load) -> list[str]:
    """The nodes through which the requests of a load arrive, in rotation."""
    present = [name for name, node in world.tables.nodes.items() if not node.is_deleted]
    if load.origin == OUTSIDE:
        return present[:ENTRIES_MAX]
    return [load.origin] if load.origin else present[:1]


def _plan(world: World, key: tuple[str, str], service: Service, load: Load, before: tuple[Slot, ...]) -> Iterator[Slot]:
    """The slots used by requests from now on. Nodes whose proxies know the same send requests to the same places."""
    clients = clients_of(world, load)
    known = [(learnt(world, *key, node), _apart(world, node)) for node in clients]
    if not load.connections and len({(item.at_ms, apart) for item, apart in known}) == 1 and not known[0][1]:
        clients = clients[:1]
    found: dict[tuple[int, str], list[tuple[str, Fate]]] = {}
    for number, (node, (item, apart)) in enumerate(zip(clients, known, strict=False)):
        fates = found.get((item.at_ms, apart))
        if fates is None:
            fates = found[(item.at_ms, apart)] = _fates(world, key, service, load, node)
        if load.connections:
            yield from _kept_alive(world, before, load, fates, number, len(clients))
        else:
            count = len(fates)
            for place, (pod, fate) in enumerate(fates):
                yield Slot(number + len(clients) * place, len(clients) * count, pod, _with_retries(fates, place, load, fate))


def _apart(world: World, node: str) -> str:
    """What distinguishes a client's node from others with the same knowledge: it is off, or it is cut off."""
    return "off" if is_off(world, node) else node if is_cut_off(world, node) else ""


def _fates(world: World, key: tuple[str, str], service: Service, load: Load, node: str) -> list[tuple[str, Fate]]:
    """Where the proxy of a node sends connections to, and the fate of a request there; a fate without a pod is the only one."""
    if is_off(world, node):
        return [("", nowhere("TRAFFIC-NODE-DOWN", node, load))]
    known = learnt(world, *key, node)
    if service.spec.cluster_ip == HEADLESS:  # the client uses DNS, which reads the slices themselves
        known = Learnt(at_ms=world.now_ms, slices=tuple(item.document for item in slices_of(world, *key)))
    port = port_of(load, service)
    if not known.exists or port is None:
        return [("", nowhere("TRAFFIC-NO-SERVICE", node, load, known.cause))]
    found: tuple[Backend, ...] = backends(world, known, port.name)
    if not found:
        return [("", nowhere("TRAFFIC-NO-ENDPOINT", node, load, known.cause))]
    return [(backend.pod, fate_of(world, backend, load, node, known.cause)) for backend in found]


def _with_retries(fates: list[tuple[str, Fate]], place: int, load: Load, fate: Fate) -> Fate:
    """The fate of a request that its client retries, each time with the next endpoint."""
    if fate.outcome not in FAILED:
        return fate
    for step in range(1, min(load.retries, len(fates) - 1) + 1):
        other = fates[(place + step) % len(fates)][1]
        if other.outcome == OK:
            return fate_by("TRAFFIC-RETRIED", other.takes_ms + fate.takes_ms, other.life, cause=fate.cause)
    return fate


def _kept_alive(
    world: World, before: tuple[Slot, ...], load: Load, fates: list[tuple[str, Fate]], number: int, clients: int
) -> Iterator[Slot]:
    """Connections that stay where they are as long as the process that accepted them exists; others are opened again."""
    held = {slot.residue: slot for slot in before}
    listed = dict(fates)
    for residue in range(number, load.connections, clients):
        old = held.get(residue)
        if old is not None and holder_state(world, old.fate.life) == "there":
            same = listed.get(old.pod)
            yield old if same is None or same.life != old.fate.life else replace(old, fate=same)
            continue
        place = residue // clients % len(fates)
        pod, fate = fates[place]
        yield Slot(residue, load.connections, pod, _with_retries(fates, place, load, fate))


def _record_news(fx: Effects, row: LoadRow, cut: dict[str, tuple[Fate, int]]) -> LoadRow:
    """Record what is new: requests that were cut off, and each pod whose requests have a different outcome from now on."""
    now = _by_pod(row)
    old_states = row.states
    news = any(old_states.get(pod, ("", ""))[:2] != (fate.outcome, fate.rule) for pod, fate in now.items())
    if not cut and not news and not any(state[0] and pod not in now for pod, state in old_states.items()):
        return row
    found = totals(row, fx.now)
    got: dict[str, int] = {}
    for (pod, _), count in found.items():
        got[pod] = got.get(pod, 0) + count
    states = dict(row.states)
    for pod, (fate, count) in fx.each(cut.items()):
        states[pod] = _step(fx, row, pod, states.get(pod), fate, got.get(pod, 0), found, count)
    for pod, fate in fx.each(now.items()):
        old = states.get(pod)
        if old is None or old[:2] != (fate.outcome, fate.rule):
            states[pod] = _step(fx, row, pod, old, fate, got.get(pod, 0), found)
    for pod in fx.each([pod for pod, state in states.items() if pod not in now and state[0]]):
        states[pod] = _step(fx, row, pod, states[pod], fate_by("TRAFFIC-NONE"), got.get(pod, 0), found)
    return replace(row, states=states)


def _by_pod(row: LoadRow) -> dict[str, Fate]:
    """The worst outcome of requests to each pod."""
    found: dict[str, Fate] = {}
    for slot in row.plan:
        held = found.get(slot.pod)
        if held is None or _WORST.index(slot.fate.outcome) > _WORST.index(held.outcome):
            found[slot.pod] = slot.fate
    return found


def _step(
    fx: Effects,
    row: LoadRow,
    pod: str,
    old: tuple[str, str, int] | None,
    fate: Fate,
    got: int,
    found: dict[tuple[str, str], int],
    count: int = 0,
) -> tuple[str, str, int]:
    """Record a step of a pod's requests, with how many had which outcome before."""
    before = old or ("", "", 0)
    ended = (("ended", got - before[2]),) if before[0] else ()
    counts = by_outcome(found)
    numbers = tuple((outcome, counts[outcome]) for outcome in (OK, RETRIED, *FAILED, "waiting") if counts.get(outcome))
    data = (*fate.data, *((("count", count),) if count else ()), *ended, *numbers)
    step, _ = fx.fire(
        REQUESTS, f"requests/{row.namespace}/{row.name}/{pod or NO_POD}", before[0], DECIDED, fate.rule, data=data,
        cause=fate.cause or None,
    )  # fmt: skip
    return step.target if step is not None else before[0], fate.rule, got


def _plan_next(fx: Effects, event: LoadLook, row: LoadRow) -> None:
    """Check again when the clients' proxies have written what they are reading, or a declared server answers differently."""
    world, moments = fx.world, [row.since_ms]
    load = read_load(row.text) if row.plan else NO_LOAD
    newest = fx.tables.proxied.get((row.namespace, row.name), ())
    for node in clients_of(world, load) if row.plan else ():
        delay_ms = proxy_delay(world, node)
        moments += [known.at_ms + delay_ms for known in newest]
    pods = dict.fromkeys(world.tables.names.get((row.namespace, slot.pod), "") for slot in row.plan)
    moments += [moment for pod in pods if (moment := next_change_ms(world, pod)) is not None]
    due_ms = min((moment for moment in moments if moment > fx.now), default=None)
    if due_ms is not None:
        fx.check(due_ms, Lane.HOUSEKEEPING, event)
