"""How an act is offered on a page: a form with its buttons, its place, and the equivalent command line.

An offer is plain data about the world at one moment. The page draws it, the timeline can attach a
gesture to it (``handle``), and a step of a machine shows the acts that cause it (``fires``).

An act that is impossible now is still offered, with the rule that would refuse it (``why_not``), so
that the page can say why. Offers that could never be accepted for this object are omitted instead.
``why_not`` is a hint: the check that counts is the handler's, when the command is applied in
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
"""What can be dragged on a timeline: the end of a container's bar, the end of a pod's grace period, a probe attempt."""
HANDLES = (END, DEADLINE, TICK)


class Input(Struct, frozen=True):
    """A visible field: a number with bounds, a text if ``value`` is one, or a choice of (value, label)."""

    name: str
    label: Text
    value: int | str
    unit: str = ""
    minimum: int = 0
    maximum: int = 0
    choices: tuple[tuple[int | str, str], ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether the input is text, not a number."""
        return isinstance(self.value, str) and not self.choices


class Button(Struct, frozen=True):
    """A button; ``name`` and ``value`` say which of several was pressed."""

    label: Text
    name: str = ""
    value: str = ""


class Offer(Struct, frozen=True, kw_only=True):
    """A form that sends one command. ``key`` is unique on the page, ``place`` says where the form goes.

    ``given`` are the hidden fields. ``kubectl`` is the equivalent command line, with ``{name}`` for the value
    of an input; empty if there is none. ``why_not`` is the rule that would refuse the command now. ``handle`` is the part of the
    timeline that represents it: dragging that gives the command, and the chosen value is its ``chosen`` field. ``fires`` are the
    rules of machine steps that the command causes: the act is offered wherever such a step is shown. ``do`` and ``icon`` are the
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
        """The field that a gesture sets: that of the buttons if there are several, else the first input."""
        names = [button.name for button in self.buttons] + [item.name for item in self.inputs]
        return next((name for name in names if name), "")

    @property
    def fields(self) -> dict[str, str | int]:
        """The fields that the form sends besides its inputs."""
        return {"do": self.do, **self.given}

    @property
    def command_line(self) -> str:
        """``kubectl`` with the initial values of the inputs."""
        line = self.kubectl
        for item in self.inputs:
            line = line.replace(f"{{{item.name}}}", str(item.value))  # other braces, as in JSON, stay
        return line

    @property
    def names_inputs(self) -> bool:
        """Whether the inputs need labels: there are several, or the buttons do not say what the only one is."""
        return len(self.inputs) > 1 or len(self.buttons) > 1


class Offers(Struct, frozen=True, kw_only=True):
    """What an act offers, by what it applies to. Offers of the same place on a page are in the order of the registry."""

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
    """Choices whose labels are their values."""
    return tuple((value, value) for value in values)


def in_namespace(namespace: str) -> str:
    """kubectl's option for a namespace other than the default one."""
    return "" if namespace == "default" else f" --namespace={namespace}"


def gone(pod: PodView) -> str:
    """The rule that refuses a request about a pod that is gone."""
    return "" if pod.is_present else "COMMAND-NO-POD"


def is_mirror(world: World, pod: PodView) -> bool:
    """Whether the object is only the mirror of a static pod, which its kubelet runs from a file."""
    row = world.tables.pods.get(pod.key)
    return row is not None and MIRROR in row.pod.metadata.annotations


def in_container(pod: PodView, container: ContainerView) -> dict[str, str | int]:
    """The fields that name a container."""
    return {"target": pod.key, "container": container.name}


def not_running(container: ContainerView) -> str:
    """The rule that refuses an act on a process that does not exist; a ghost has one."""
    return "" if container.node_state in ("running", "stopping") else "COMMAND-NOT-RUNNING"
