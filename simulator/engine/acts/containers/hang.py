"""The container's main process stops making progress, or resumes."""

from collections.abc import Iterator

from simulator.engine import containers as behaviour
from simulator.engine.acts.act import Act, Either, the_container
from simulator.engine.acts.containers.process import running_process, to_process
from simulator.engine.acts.form import SWITCH, TARGET, THE_CONTAINER, Form, FormField
from simulator.engine.acts.offer import Offer, Offers, button, in_container, not_running
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.kubelet.pods.containers import hooks
from simulator.engine.kubelet.pods.containers.instances import find_instance
from simulator.engine.projection.model import ContainerView, PodView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class HangContainer(Command, frozen=True, kw_only=True, tag="hang_container"):
    """The process stops making progress: probes time out and TERM is not handled, until it is killed or ``hang`` is lifted."""

    target: Key
    container: str
    hang: bool = True


def _hang(fx: Effects, command: HangContainer) -> Doing:
    pod, instance, _ = running_process(fx, command.target, command.container)
    change = to_process(fx, command, lambda process, host: behaviour.hang(process, command.hang, host))

    def act() -> None:
        change()
        # Resuming may have ended the process.
        now = find_instance(fx, pod, instance.container, instance.attempt)
        if not command.hang and now is not None and now.runs:
            hooks.resume_requests(fx, pod, now)

    return act


def _offer(world: World, pod: PodView, container: ContainerView) -> Iterator[Offer]:
    label, effect = gettext_noop("Hang process"), gettext_noop("No progress, no response to probes, TERM ignored.")
    if container.is_hung:
        label, effect = gettext_noop("Wake process"), gettext_noop("The process resumes.")
    given = in_container(pod, container)
    yield Offer(
        key=f"{pod.key}-{container.name}-hang",
        place="container",
        given=given if container.is_hung else {**given, "hang": "on"},
        buttons=button(label),
        help=Text(effect),
        why_not=not_running(container),
    )


def _read(step: StepReader) -> Iterator[HangContainer]:
    yield HangContainer(target=step.target(), container=step.needed("container", str), hang=step.field("hang", bool, True))


HANG_CONTAINER = Act(
    command=HangContainer,
    handler=_hang,
    subject=the_container,
    sentence=Either("hang", gettext_noop("Hang {container}"), gettext_noop("Wake {container}")),
    headline=Either("hang", gettext_noop("You hung {container}"), gettext_noop("You woke {container}")),
    icon="hang",
    form=Form((TARGET, THE_CONTAINER, FormField("hang", SWITCH))),
    offers=Offers(container=_offer),
    verbs=(
        Verb(
            "hang",
            "makes the container hang: its probes and hooks get no answer; `hang: false` ends that",
            _read,
            needs=("pod", "container"),
            may=("hang",),
        ),
    ),
)
