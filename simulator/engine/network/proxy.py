"""The service proxy of each node: what it knows about a Service, and where it sends a connection.

kube-proxy watches Services and EndpointSlices and writes rules into its node's kernel. Connections
follow the rules as last written, so every change of endpoints reaches clients late, and
on each node at a different moment. Until then connections still go to pods that are terminating
or gone: the window in which rolling updates lose requests.

The delay has two parts. A proxy limits how often it writes: a burst of two rounds, then one per
second (``proxy_burst``, ``proxy_min_sync_ms``). This part is the same for every proxy, since all learn
of the same writes. Writing takes time, and that differs by node but is constant for each
(``proxy_sync_ms``, ``proxy_spread_ms``; our choice).

So one round is computed for all of them and kept with its time, and what a node knows is the newest
round that is older than its own delay. The cost depends on changes, not on the number of nodes. A node
that is cut off stays at what it had learnt.

Connections go to ready endpoints. If a Service has none, those that terminate but still serve are
used (``proxy_terminating_endpoints``, 1.26): better a pod that is leaving than none.

Source: pkg/proxy/iptables/proxier.go syncProxyRules, pkg/util/async/bounded_frequency_runner.go,
pkg/proxy/topology.go CategorizeEndpoints.
"""

from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.kernel.rng import uniform_ms
from simulator.engine.kernel.units import Ms, Seq
from simulator.engine.network.endpoints import SLICE, Endpoint, read_slice, slice_service, slices_of
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import LoadLook, ProxySync
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Learnt
from simulator.engine.world.watch import ADDED, CHANGED, GONE, Watch
from simulator.engine.world.world import ApiObject, World

COMPONENT = "kube-proxy"
_BUCKET = ("proxy", "rounds")
_FULL = 1000
NOTHING = Learnt(at_ms=-1, slices=(), exists=False)
"""What a proxy knows about a Service before its first round for it."""


class Backend(Struct, frozen=True):
    """Where a proxy sends connections to. ``is_leaving``: its pod is being deleted, and there is nothing else to send them to."""

    namespace: str
    pod: str
    uid: str
    address: str
    port: int
    is_leaving: bool = False


def _service_written(fx: Effects, old: ApiObject | None, row: ApiObject) -> None:
    if old is None or old is row or old.document != row.document:
        _changed(fx, (row.namespace, row.name))


def _slice_written(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
    name = slice_service(row.document)
    if name:
        _changed(fx, (row.namespace, name))


def _changed(fx: Effects, service: tuple[str, str]) -> None:
    fx.set_proxy_dirty(service, dirty=True)
    fx.check(fx.now + fx.profile.watch_ms, Lane.CONTROLLER, ProxySync())


WATCHES = (
    Watch(COMPONENT, "Service", ADDED | CHANGED | GONE, _service_written),
    Watch(COMPONENT, SLICE, ADDED | CHANGED | GONE, _slice_written),
)


def proxy_sync(fx: Effects, event: ProxySync) -> None:
    """Run a round of all proxies: changes are read, and written on each node some time later. Without a token it waits for one."""
    level, since = fx.tables.buckets.get(_BUCKET, (fx.profile.proxy_burst * _FULL, fx.now))
    interval = fx.profile.proxy_min_sync_ms
    level = min(fx.profile.proxy_burst * _FULL, level + (fx.now - since) * _FULL // interval)
    if level < _FULL:
        fx.check(fx.now + max(1, -(-(_FULL - level) * interval // _FULL)), Lane.CONTROLLER, event)
        return
    fx.save_bucket(_BUCKET, (level - _FULL, fx.now))
    for service, cause in fx.each(list(fx.tables.proxy_dirty.items())):
        fx.set_proxy_dirty(service, dirty=False)
        fx.cause = cause
        _learn(fx, service, cause)


def _learn(fx: Effects, service: tuple[str, str], cause: Seq) -> None:
    """Keep what the proxies read now, and of earlier rounds only what some node may still use."""
    before = fx.tables.proxied.get(service, ())
    exists = ("Service", *service) in fx.tables.objects
    slices = tuple(row.document for row in slices_of(fx.world, *service))
    # A change that is reverted within one round does not count.
    if before and before[-1].slices == slices and before[-1].exists == exists:
        return
    old_ms = fx.now - fx.profile.proxy_sync_ms - fx.profile.proxy_spread_ms
    # A round is needed until its successor has arrived on the slowest node.
    kept = [row for row, following in pairwise(before) if following.at_ms > old_ms]
    fx.save_proxied(service, (*kept, *before[-1:], Learnt(at_ms=fx.now, slices=slices, exists=exists, cause=cause)))
    if service in fx.tables.loads:
        fx.check(fx.now, Lane.HOUSEKEEPING, LoadLook(*service))


def proxy_delay(world: World, node: str) -> Ms:
    """How long the proxy of that node takes to write its rules: constant for each node."""
    low, header = world.profile.proxy_sync_ms, world.header
    return uniform_ms(header.seed, f"proxy/{node}", 0, low, low + world.profile.proxy_spread_ms, jitter=header.jitter)


def learnt(world: World, namespace: str, name: str, node: str) -> Learnt:
    """The newest state of a Service in a node's rules; ``NOTHING`` if they do not have it yet."""
    rows = world.tables.proxied.get((namespace, name), ())
    life = world.tables.node_life.get(node)
    heard_ms = world.now_ms if life is None or life.cut_ms is None else life.cut_ms  # while it is cut off it uses what it knew
    known_ms = min(world.now_ms - proxy_delay(world, node), heard_ms)
    return next((row for row in reversed(rows) if row.at_ms <= known_ms), NOTHING)


def backends(world: World, known: Learnt, port: str) -> tuple[Backend, ...]:
    """Where connections to the Service's port of that name go: ready endpoints, else those that terminate but still serve."""
    found = tuple(_listed(known, port))
    ready = tuple(backend for backend, endpoint in found if endpoint.conditions.ready is not False)
    if ready or not world.profile.proxy_terminating_endpoints:
        return ready
    return tuple(
        replace(backend, is_leaving=True) for backend, endpoint in found if endpoint.conditions.serving and endpoint.conditions.terminating
    )


def _listed(known: Learnt, port: str) -> Iterator[tuple[Backend, Endpoint]]:
    for text in known.slices:
        found = read_slice(text)
        number = next((item.port for item in found.ports or () if item.name == port), None)
        if number is None:
            continue
        for endpoint in found.endpoints or ():
            pod = endpoint.target_ref
            if pod is not None:
                yield Backend(pod.namespace, pod.name, pod.uid, endpoint.addresses[0], number, False), endpoint
