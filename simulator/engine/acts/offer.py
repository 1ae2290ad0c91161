"""How an act is offered on a page: a form with its buttons, where it stands, and the command line of the same effect.

An offer is plain data about the world at one moment. The page draws it, the timeline takes hold of
it (``handle``), and a step that a machine takes shows the acts that bring it about (``fires``).

An act that is impossible now is still offered, with the rule that would refuse it (``why_not``), so
that the page can say why. Offers that could never be accepted for this object are left out instead.
``why_not`` is a hint: the check that counts is the handler's, when the command takes its place in
the run.
"""

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from simulator.engine.model.meta import MIRROR
from simulator.engine.projection.model import ContainerView, PodView, ProbeView
from simulator.engine.projection.model_run import NodeView
from simulator.engine.projection.text import Text
from simulator.engine.world.world import World

END, DEADLINE, TICK = "end", "deadline", "tick"
"""What of a timeline can be taken hold of: the end of a container's bar, the end of a pod's grace, an attempt of a probe."""
HANDLES = (END, DEADLINE, TICK)


class Input(Struct, frozen=True):
    """A visible field: a number with bounds, a text where ``value`` is one, or a choice of (value, label)."""

    name: str
    label: Text
    value: int | str
    unit: str = ""
    minimum: int = 0
    maximum: int = 0
    choices: tuple[tuple[int | str, str], ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether people type words, not a number."""
        return isinstance(self.value, str) and not self.choices


class Button(Struct, frozen=True):
    """A button; ``name`` and ``value`` say which of several was pressed."""

    label: Text
    name: str = ""
    value: str = ""


class Offer(Struct, frozen=True, kw_only=True):
    """A form that sends one command. ``key`` is unique on the page, ``place`` says where on it the form stands.

    ``given`` are the fields that nobody sees. ``kubectl`` is the command line of the same effect, with ``{name}`` where the value
    of an input stands; empty where there is none. ``why_not`` is the rule that would refuse the command now. ``handle`` is what of the
    timeline stands for it: dragging that gives the command, and what is chosen meanwhile is its ``chosen`` field. ``fires`` are the
    rules by which a machine takes a step because of it: where such a step is looked at, the act is offered. ``do`` and ``icon`` are the
    act's.
    """

    key: str
    place: str
    buttons: tuple[Button, ...]
    given: Mapping[str, str | int] = {}
    inputs: tuple[Input, ...] = ()
    kubectl: str = ""
    help: Text | None = None
    is_destructive: bool = False
    why_not: str = ""
    handle: str = ""
    fires: tuple[str, ...] = ()
    do: str = ""
    icon: str = ""

    @property
    def chosen(self) -> str:
        """The field that a gesture sets: that of the buttons where there are several, else the first input."""
        names = [button.name for button in self.buttons] + [item.name for item in self.inputs]
        return next((name for name in names if name), "")

    @property
    def fields(self) -> dict[str, str | int]:
        """What the form sends beside its inputs."""
        return {"do": self.do, **self.given}

    @property
    def command_line(self) -> str:
        """``kubectl`` with the values that the inputs begin with."""
        line = self.kubectl
        for item in self.inputs:
            line = line.replace(f"{{{item.name}}}", str(item.value))  # other braces, as in JSON, stay
        return line

    @property
    def names_inputs(self) -> bool:
        """Whether the inputs need their labels to be told apart, or the buttons do not say what the only one is."""
        return len(self.inputs) > 1 or len(self.buttons) > 1


class Offers(Struct, frozen=True, kw_only=True):
    """What an act offers, by what it is done to. On a page the offers of a place stand in the order of the registry."""

    pod: Callable[[World, PodView], Iterable[Offer]] | None = None
    container: Callable[[World, PodView, ContainerView], Iterable[Offer]] | None = None
    probe: Callable[[World, PodView, ContainerView, ProbeView], Iterable[Offer]] | None = None
    image: Callable[[World, str], Iterable[Offer]] | None = None
    node: Callable[[World, NodeView], Iterable[Offer]] | None = None
    object: Callable[[World, str, str, str], Iterable[Offer]] | None = None


def button(msgid: str, **values: str | int) -> tuple[Button, ...]:
    """The only button of a form."""
    return (Button(Text(msgid, tuple(values.items()))),)


def plain_choices(values: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Choices that are shown as they are called."""
    return tuple((value, value) for value in values)


def in_namespace(namespace: str) -> str:
    """kubectl's option that names a namespace other than the default one."""
    return "" if namespace == "default" else f" --namespace={namespace}"


def gone(pod: PodView) -> str:
    """The rule that refuses a request about a pod that is gone."""
    return "" if pod.is_present else "COMMAND-NO-POD"


def is_mirror(world: World, pod: PodView) -> bool:
    """Whether the object only shows a static pod, which its kubelet runs from a file."""
    row = world.tables.pods.get(pod.key)
    return row is not None and MIRROR in row.pod.metadata.annotations


def in_container(pod: PodView, container: ContainerView) -> dict[str, str | int]:
    """The fields that name a container."""
    return {"target": pod.key, "container": container.name}


def not_running(container: ContainerView) -> str:
    """The rule that refuses what is done to a process that is not there; a ghost has one."""
    return "" if container.node_state in ("running", "stopping") else "COMMAND-NOT-RUNNING"
