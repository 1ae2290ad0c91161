"""All acts, in the order in which a page offers them. A new act is one line here; everything else is in its module.

Whatever needs to know what a user can do queries ``ACTS``: the decoder of stored commands, forms,
pages, scripts, the narrator.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.acts.act import Act
from simulator.engine.acts.containers.exec import EXEC_IN_CONTAINER, WRITE_TO_EXEC
from simulator.engine.acts.containers.exit import EXIT_CONTAINER
from simulator.engine.acts.containers.hang import HANG_CONTAINER
from simulator.engine.acts.containers.image import SET_IMAGE
from simulator.engine.acts.containers.oom import OOM_CONTAINER
from simulator.engine.acts.containers.probe import SET_PROBE
from simulator.engine.acts.containers.signal import SIGNAL_CONTAINER
from simulator.engine.acts.nodes.control import NODE_CONTROL
from simulator.engine.acts.nodes.cordon import CORDON_NODE
from simulator.engine.acts.nodes.delete import DELETE_NODE
from simulator.engine.acts.nodes.drain import DRAIN_NODE
from simulator.engine.acts.nodes.join import JOIN_NODE
from simulator.engine.acts.nodes.label import LABEL_NODE
from simulator.engine.acts.nodes.network import CUT_NETWORK
from simulator.engine.acts.nodes.pressure import SET_NODE_PRESSURE
from simulator.engine.acts.nodes.shutdown import SHUTDOWN_NODE
from simulator.engine.acts.nodes.static_pod import PLACE_STATIC_POD
from simulator.engine.acts.nodes.taint import TAINT_NODE
from simulator.engine.acts.objects.apply import APPLY_MANIFEST
from simulator.engine.acts.objects.delete import DELETE_OBJECT
from simulator.engine.acts.objects.load import SET_LOAD
from simulator.engine.acts.objects.namespace import DELETE_NAMESPACE
from simulator.engine.acts.objects.patch import PATCH_OBJECT
from simulator.engine.acts.objects.replace import REPLACE_OBJECT
from simulator.engine.acts.objects.server_side_apply import APPLY_SERVER_SIDE
from simulator.engine.acts.offer import Offer
from simulator.engine.acts.pods.bind import BIND_POD
from simulator.engine.acts.pods.debug import DEBUG_POD
from simulator.engine.acts.pods.delete import DELETE_POD
from simulator.engine.acts.pods.delete_all import DELETE_PODS
from simulator.engine.acts.pods.evict import EVICT_POD
from simulator.engine.acts.pods.gates import REMOVE_SCHEDULING_GATES
from simulator.engine.acts.pods.patch import PATCH_POD
from simulator.engine.acts.pods.resize import RESIZE_POD
from simulator.engine.acts.pods.sandbox import KILL_SANDBOX
from simulator.engine.acts.pods.set_image import SET_POD_IMAGE
from simulator.engine.acts.roles import with_role
from simulator.engine.acts.script import Verb
from simulator.engine.acts.workloads.autoscale import AUTOSCALE_WORKLOAD
from simulator.engine.acts.workloads.image import SET_WORKLOAD_IMAGE
from simulator.engine.acts.workloads.rollout import PAUSE_ROLLOUT, RESTART_ROLLOUT, UNDO_ROLLOUT
from simulator.engine.acts.workloads.scale import SCALE_WORKLOAD
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.typed import Typed
from simulator.engine.kernel.units import Ms, Seq
from simulator.engine.projection.model import ContainerView, PodView, ProbeView
from simulator.engine.projection.model_run import NodeView
from simulator.engine.world.world import World


class Acts:
    """A collection of acts, found by command, by tag and by script verb. Raises ValueError if two share one of these."""

    __slots__ = ("_by_command", "_by_do", "verbs")

    def __init__(self, acts: Iterable[Act[Any]]) -> None:
        self._by_command: dict[type[Command], Act[Any]] = {}
        self._by_do: dict[str, Act[Any]] = {}
        self.verbs: dict[str, Verb] = {}
        for act in acts:
            # A tag is part of stored runs, a verb part of scripts: two acts must never share
            # either.
            taken = [act.do] if act.do in self._by_do else [verb.name for verb in act.verbs if verb.name in self.verbs]
            if taken:
                raise ValueError(f"{taken[0]} is declared twice")
            self._by_command[act.command] = self._by_do[act.do] = act
            self.verbs |= {verb.name: verb for verb in act.verbs}

    def __iter__(self) -> Iterator[Act[Any]]:
        return iter(self._by_do.values())

    def of(self, command: Command) -> Act[Any]:
        """The act of a command. Raises KeyError for one that is not declared."""
        return self._by_command[type(command)]

    def named(self, do: str) -> Act[Any] | None:
        """The act whose command has that tag, or None."""
        return self._by_do.get(do)

    def command_type(self) -> Any:
        """The union of all commands, as msgspec decodes it."""
        return Union[tuple(self._by_command)]  # noqa: UP007

    def script_table(self) -> str:
        """The table of ``docs/scripts.md``."""
        return "\n".join(["| verb | fields | what it does |", "|---|---|---|", *(verb.row() for verb in self.verbs.values())])

    def about(self, world: World, pod: PodView) -> "PodOffers":
        """The offers for a pod, its containers and their probes."""
        return PodOffers(self, world, pod)

    def on_image(self, world: World, image: str) -> list[Offer]:
        """The offers for an image in the registry."""
        return [given(act, offer) for act in self if act.offers.image for offer in act.offers.image(world, image)]

    def on_node(self, world: World, node: NodeView) -> list[Offer]:
        """The offers for a node and its machine."""
        return [given(act, offer) for act in self if act.offers.node for offer in act.offers.node(world, node)]

    def on_object(self, world: World, kind: str, namespace: str, name: str) -> list[Offer]:
        """The offers for an object that is neither a pod nor a node."""
        return [given(act, offer) for act in self if act.offers.object for offer in act.offers.object(world, kind, namespace, name)]


def given(act: Act[Any], offer: Offer) -> Offer:
    """The offer with its act's tag and icon."""
    return replace(offer, do=act.do, icon=act.icon)


class PodOffers:
    """The offers for a pod, its containers and their probes.

    Their target is the pod's role, so that the resulting commands mean the same with another seed or version. It is looked
    up once, when the first of them needs it: O(pods of the namespace).
    """

    def __init__(self, acts: Iterable[Act[Any]], world: World, pod: PodView) -> None:
        self._acts, self._world, self._pod = acts, world, pod

    def on_pod(self) -> list[Offer]:
        """The offers for the pod and its namespace."""
        return self._by_role((act, offer) for act in self._acts if act.offers.pod for offer in act.offers.pod(self._world, self._pod))

    def on_container(self, container: ContainerView) -> list[Offer]:
        """The offers for a container."""
        return self._by_role(
            (act, offer) for act in self._acts if act.offers.container for offer in act.offers.container(self._world, self._pod, container)
        )

    def on_probe(self, container: ContainerView, probe: ProbeView) -> list[Offer]:
        """The offers for a probe of a container."""
        return self._by_role(
            (act, offer) for act in self._acts if act.offers.probe for offer in act.offers.probe(self._world, self._pod, container, probe)
        )

    def _by_role(self, offers: Iterable[tuple[Act[Any], Offer]]) -> list[Offer]:
        return [self._targeted(given(act, offer)) for act, offer in offers]

    def _targeted(self, offer: Offer) -> Offer:
        # Offers about the namespace, or about no pod at all, keep their target.
        if offer.given.get("target") != self._pod.key:
            return offer
        return replace(offer, given={**offer.given, "target": self._target})

    @cached_property
    def _target(self) -> str:
        return with_role(self._world.tables, self._pod.key)


ACTS = Acts(
    (
        APPLY_MANIFEST,
        REPLACE_OBJECT,
        APPLY_SERVER_SIDE,
        SCALE_WORKLOAD,
        AUTOSCALE_WORKLOAD,
        SET_WORKLOAD_IMAGE,
        RESTART_ROLLOUT,
        UNDO_ROLLOUT,
        PAUSE_ROLLOUT,
        DELETE_POD,
        DELETE_OBJECT,
        EVICT_POD,
        BIND_POD,
        REMOVE_SCHEDULING_GATES,
        PATCH_OBJECT,
        SET_LOAD,
        EXIT_CONTAINER,
        SIGNAL_CONTAINER,
        OOM_CONTAINER,
        HANG_CONTAINER,
        EXEC_IN_CONTAINER,
        WRITE_TO_EXEC,
        PATCH_POD,
        SET_POD_IMAGE,
        RESIZE_POD,
        DEBUG_POD,
        KILL_SANDBOX,
        DELETE_PODS,
        DELETE_NAMESPACE,
        SET_PROBE,
        SET_IMAGE,
        NODE_CONTROL,
        CORDON_NODE,
        DRAIN_NODE,
        TAINT_NODE,
        LABEL_NODE,
        SET_NODE_PRESSURE,
        SHUTDOWN_NODE,
        CUT_NETWORK,
        DELETE_NODE,
        JOIN_NODE,
        PLACE_STATIC_POD,
    )
)

if TYPE_CHECKING:
    # The union is computed, which a type checker cannot follow.
    AnyCommand: TypeAlias = Command
else:
    AnyCommand = ACTS.command_type()

COMMAND: Typed[AnyCommand] = Typed(AnyCommand)


class Applied(Struct, frozen=True, kw_only=True):
    """Where command ``n`` was applied: its moment, its record and its outcome (accepted or refused)."""

    n: int
    at_ms: Ms
    seq: Seq
    outcome: str


class Stamped(Struct, frozen=True, array_like=True):
    """A command with its place in the run: applied at ``at_ms``, after every event due by then, in the order of ``n``."""

    at_ms: Ms
    n: int
    command: AnyCommand
