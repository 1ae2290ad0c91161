"""A signal from the node to the container's main process."""

from collections.abc import Iterator

from simulator.engine import containers as behaviour
from simulator.engine.acts.act import Act, the_container
from simulator.engine.acts.containers.process import to_process
from simulator.engine.acts.form import CHOICE, TARGET, THE_CONTAINER, Form, FormField, Values
from simulator.engine.acts.offer import Input, Offer, Offers, button, in_container, not_running
from simulator.engine.acts.pods.sandbox import KillSandbox
from simulator.engine.acts.script import BadStep, StepReader, Verb
from simulator.engine.apiserver.refusal import Doing, bad_value
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.projection.model import ContainerView, PodView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World

TERM = 15
_NUMBERS = {"HUP": 1, "INT": 2, "QUIT": 3, "ABRT": 6, "KILL": 9, "USR1": 10, "SEGV": 11, "USR2": 12, "TERM": 15, "STOP": 19}
_OFFERED = ("TERM", "KILL", "INT", "QUIT", "HUP", "ABRT", "SEGV")


class SignalContainer(Command, frozen=True, kw_only=True, tag="signal_container"):
    """Send a signal to the container's main process from outside (a number: 15 TERM, 9 KILL, …)."""

    target: Key
    container: str
    signal: int


def _signal(fx: Effects, command: SignalContainer) -> Doing:
    if not 1 <= command.signal <= 64:
        raise bad_value("a signal is a number from 1 to 64")
    return to_process(fx, command, lambda process, host: behaviour.signal(process, command.signal, host))


def _make(values: Values) -> SignalContainer:
    return SignalContainer(target=values["target"], container=values["container"], signal=values["signal"] or TERM)


def _offer(world: World, pod: PodView, container: ContainerView) -> Iterator[Offer]:
    signals = tuple((_NUMBERS[name], f"{name} ({_NUMBERS[name]})") for name in _OFFERED)
    yield Offer(
        key=f"{pod.key}-{container.name}-signal",
        place="container",
        given=in_container(pod, container),
        buttons=button(gettext_noop("Kill container with signal")),
        help=Text(gettext_noop("Sent from the node. A process that is PID 1 and has no handler ignores everything but KILL.")),
        inputs=(Input("signal", Text(gettext_noop("Signal")), 9, choices=signals),),
        why_not=not_running(container),
        fires=("PROCESS-EXITED", "STOP-EXITED"),
    )


def _read(step: StepReader) -> Iterator[Command]:
    # Recorded scripts use the same verb for killing the sandbox.
    if step.field("sandbox", bool, False):  # whatever the signal, the pause process ends
        step.only("pod", "sandbox", "signal", "from")
        yield KillSandbox(target=step.target())
        return
    step.only("pod", "container", "signal", "from")
    signal = step.needed("signal", (int, str))
    number = _NUMBERS.get(signal.upper().removeprefix("SIG")) if isinstance(signal, str) else signal
    if isinstance(number, bool) or number is None or not 1 <= number <= 64:
        raise BadStep(gettext_noop('there is no signal "{signal}"'), "signal.signal", signal=signal)
    yield SignalContainer(target=step.target(), container=step.field("container", str, ""), signal=number)


SIGNAL_CONTAINER = Act(
    command=SignalContainer,
    handler=_signal,
    subject=the_container,
    sentence=gettext_noop("Send signal {signal} to {container}"),
    headline=gettext_noop("You sent signal {signal} to {container}"),
    icon="signal",
    form=Form(
        (
            TARGET,
            THE_CONTAINER,
            FormField("signal", CHOICE, gettext_noop("Signal"), choices=tuple(_NUMBERS[name] for name in _OFFERED)),
        ),
        _make,
    ),
    offers=Offers(container=_offer),
    verbs=(
        Verb(
            "signal",
            "sends a signal to the main process from outside, or kills the sandbox; `from` (the sender) is only for the reader",
            _read,
            needs=("pod", ("signal", "sandbox true")),
            may=("container", "from"),
        ),
    ),
)
