"""``kubectl exec``."""

from collections.abc import Iterator

from msgspec.structs import replace

from simulator.engine.acts.act import Act, the_container
from simulator.engine.acts.containers.process import running_process
from simulator.engine.acts.form import COMMAND_LINE, TARGET, THE_CONTAINER, Form, Values, is_needed
from simulator.engine.acts.offer import Input, Offer, Offers, button, in_container, in_namespace, not_running
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.apiserver.refusal import Doing, Refusal, bad_value
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key
from simulator.engine.kubelet.pods.containers import execs
from simulator.engine.kubelet.pods.containers.user_execs import tell
from simulator.engine.network.reach import reaches_kubelet
from simulator.engine.projection.model import ContainerView, PodView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World


class ExecInContainer(Command, frozen=True, kw_only=True, tag="exec"):
    """``kubectl exec``: run a command in a container. An empty ``container`` is the pod's first."""

    target: Key
    command: tuple[str, ...]
    container: str = ""


def _exec(fx: Effects, command: ExecInContainer) -> Doing:
    if not command.command:
        raise bad_value("you must specify at least one command for the container")
    pod, instance, _ = running_process(fx, command.target, command.container)
    # exec is a connection from the API server to the kubelet, unlike every other command here.
    if not reaches_kubelet(fx.world, fx.tables.pods[pod].node):
        raise Refusal("EXEC-UNREACHABLE")

    def act() -> None:
        # What the process does now follows from the command, not from the container's start.
        row = replace(instance, seq=fx.cause)
        _, finished = execs.begin(fx, pod, row, command.command, purpose="user")
        if finished is not None:
            tell(fx, pod, instance.container, finished)

    return act


def _make(values: Values) -> ExecInContainer:
    return ExecInContainer(target=values["target"], container=values["container"], command=values["words"])


def _offer(world: World, pod: PodView, container: ContainerView) -> Iterator[Offer]:
    yield Offer(
        key=f"{pod.key}-{container.name}-exec",
        place="container-more",
        given=in_container(pod, container),
        buttons=button(gettext_noop("Run command")),
        kubectl=f"kubectl exec {pod.name}{in_namespace(pod.namespace)} --container={container.name} -- {{words}}",
        help=Text(gettext_noop("Its output appears as a note in the run and on the timeline.")),
        inputs=(Input("words", Text(gettext_noop("Command")), "ls /"),),
        why_not=not_running(container) or ("" if reaches_kubelet(world, pod.node) else "EXEC-UNREACHABLE"),
    )


def _read(step: StepReader) -> Iterator[ExecInContainer]:
    yield ExecInContainer(target=step.target(), container=step.field("container", str, ""), command=step.words("command"))


EXEC_IN_CONTAINER = Act(
    command=ExecInContainer,
    handler=_exec,
    subject=the_container,
    sentence=gettext_noop("Run a command in {target}"),
    headline=gettext_noop("You ran a command in {container}"),
    icon="play",
    form=Form((TARGET, THE_CONTAINER, is_needed(COMMAND_LINE)), _make),
    offers=Offers(container=_offer),
    verbs=(Verb("exec", "runs a command in a container", _read, needs=("pod", "command"), may=("container",)),),
    rules=(
        RuleText(
            "EXEC-UNREACHABLE",
            gettext_noop("The API server cannot reach the kubelet on the pod’s node, so kubectl cannot run a command there."),
            "pkg/registry/core/pod/rest/subresources.go; a connection to the kubelet's port 10250",
        ),
    ),
)
