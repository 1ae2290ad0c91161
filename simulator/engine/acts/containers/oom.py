"""The kernel kills the container's main process for its memory usage."""

from collections.abc import Iterator

from simulator.engine import containers as behaviour
from simulator.engine.acts.act import Act, the_container
from simulator.engine.acts.containers.process import to_process
from simulator.engine.acts.form import TARGET, THE_CONTAINER, Form
from simulator.engine.acts.offer import Offer, Offers, button, in_container, not_running
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.projection.model import ContainerView, PodView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class OomContainer(Command, frozen=True, kw_only=True, tag="oom_container"):
    """The kernel kills the container's main process for exceeding its memory limit."""

    target: Key
    container: str


def _oom(fx: Effects, command: OomContainer) -> Doing:
    # The container need not have a limit: this is what the kernel does, not why.
    return to_process(fx, command, behaviour.oom_kill)


def _offer(world: World, pod: PodView, container: ContainerView) -> Iterator[Offer]:
    yield Offer(
        key=f"{pod.key}-{container.name}-oom",
        place="container",
        given=in_container(pod, container),
        buttons=button(gettext_noop("Run out of memory")),
        help=Text(gettext_noop("The kernel kills the main process.")),
        why_not=not_running(container),
        fires=("PROCESS-OOM",),
    )


def _read(step: StepReader) -> Iterator[OomContainer]:
    yield OomContainer(target=step.target(), container=step.needed("container", str))


OOM_CONTAINER = Act(
    command=OomContainer,
    handler=_oom,
    subject=the_container,
    sentence=gettext_noop("Run {container} out of memory"),
    headline=gettext_noop("You ran {container} out of memory"),
    icon="memory",
    form=Form((TARGET, THE_CONTAINER)),
    offers=Offers(container=_offer),
    verbs=(Verb("oom", "has the kernel kill the main process for its memory use", _read, needs=("pod", "container")),),
)
