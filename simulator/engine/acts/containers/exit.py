"""The container's main process ends by itself."""

from collections.abc import Iterator

from simulator.engine import containers as behaviour
from simulator.engine.acts.act import Act, the_container
from simulator.engine.acts.containers.process import to_process
from simulator.engine.acts.form import NUMBER, TARGET, THE_CONTAINER, Form, FormField
from simulator.engine.acts.offer import END, Input, Offer, Offers, button, in_container, not_running
from simulator.engine.acts.script import BadStep, StepReader, Verb
from simulator.engine.apiserver.refusal import Doing, bad_value
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.projection.model import ContainerView, PodView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class ExitContainer(Command, frozen=True, kw_only=True, tag="exit_container"):
    """The container's main process ends by itself with ``exit_code`` (0 … 255)."""

    target: Key
    container: str
    exit_code: int


def _exit(fx: Effects, command: ExitContainer) -> Doing:
    if not 0 <= command.exit_code <= 255:
        raise bad_value("an exit code is a number from 0 to 255")
    return to_process(fx, command, lambda process, host: behaviour.force_exit(process, command.exit_code, host))


def _offer(world: World, pod: PodView, container: ContainerView) -> Iterator[Offer]:
    yield Offer(
        key=f"{pod.key}-{container.name}-exit",
        place="container",
        given=in_container(pod, container),
        buttons=button(gettext_noop("Exit container with code")),
        inputs=(Input("exit_code", Text(gettext_noop("Exit code")), 1, maximum=255),),
        why_not=not_running(container),
        handle=END,
        fires=("PROCESS-EXITED", "STOP-EXITED"),
    )


def _read(step: StepReader) -> Iterator[ExitContainer]:
    code = step.needed("code", int)
    if not 0 <= code <= 255:
        # A script is refused when it is read; the handler checks again for every other way in.
        raise BadStep(gettext_noop("the exit code must be between 0 and 255"), "exit.code")
    yield ExitContainer(target=step.target(), container=step.needed("container", str), exit_code=code)


EXIT_CONTAINER = Act(
    command=ExitContainer,
    handler=_exit,
    subject=the_container,
    sentence=gettext_noop("Exit {container} with code {exit_code}"),
    headline=gettext_noop("You made {container} exit with code {exit_code}"),
    icon="exit",
    form=Form((TARGET, THE_CONTAINER, FormField("exit_code", NUMBER, gettext_noop("Exit code"), maximum=255, is_needed=True))),
    offers=Offers(container=_offer),
    verbs=(Verb("exit", "ends the main process", _read, needs=("pod", "container", "code")),),
)
