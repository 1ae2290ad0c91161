"""``kubectl exec``."""

from base64 import b64decode
from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from simulator.engine.acts.act import Act, the_container
from simulator.engine.acts.containers.process import running_process, to_process
from simulator.engine.acts.form import COMMAND_LINE, TARGET, THE_CONTAINER, Form, Values, is_needed
from simulator.engine.acts.offer import Input, Offer, Offers, button, in_container, in_namespace, not_running
from simulator.engine.acts.script import StepReader, Verb
from simulator.engine.apiserver.refusal import Doing, Refusal, bad_value
from simulator.engine.containers import Ends, Host, Process, Turn, Typing, type_into
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.outside_text import storable
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key, Seq
from simulator.engine.kubelet.pods.containers import execs
from simulator.engine.kubelet.pods.containers.user_execs import note_finished, user_exec_ended
from simulator.engine.network.reach import reaches_kubelet
from simulator.engine.projection.model import ContainerView, PodView
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import Exec
from simulator.engine.world.world import World

NEWEST: Seq = -1
"""In place of a record: the most recently started command."""


class ExecInContainer(Command, frozen=True, kw_only=True, tag="exec"):
    """``kubectl exec``: run a command in a container. An empty ``container`` is the pod's first.

    ``stdin``: it has an input, which ``WriteToExec`` writes to. ``tty``: at a terminal. ``apart``: keep its two outputs separate.
    """

    target: Key
    command: tuple[str, ...]
    container: str = ""
    stdin: bool = False
    tty: bool = False
    apart: bool = False


class WriteToExec(Command, frozen=True, kw_only=True, tag="write_to_exec"):
    """Text typed, or sent, to the input of a command running in a container: the one whose record is ``exec``, 0 for the main process.

    ``exec`` -1 is the one most recently started in the container. ``echo``: a terminal shows what is typed, which clients do themselves.

    ``raw`` is text as base64-encoded bytes, if it is not UTF-8. ``is_end``: nothing follows. ``interrupts``: the key ^C comes first.
    """

    target: Key
    container: str = ""
    exec: Seq = 0
    text: str = ""
    raw: str = ""
    is_end: bool = False
    interrupts: bool = False
    echo: bool = False


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
        ends = Ends(command.stdin, command.tty, command.apart)
        _, finished = execs.begin(fx, pod, row, command.command, purpose="user", ends=ends)
        if finished is not None:
            note_finished(fx, pod, instance.container, finished, fx.cause)

    return act


def _write(fx: Effects, command: WriteToExec) -> Doing:
    text = command.text + _decoded(command.raw)
    if not command.exec:
        if not running_process(fx, command.target, command.container)[2].launch.stdin:
            raise Refusal("EXEC-OVER")
        return to_process(fx, command, partial(_type_into, text, command))
    n, row = _session(fx, command)
    if not reaches_kubelet(fx.world, fx.tables.pods[row.pod].node):
        raise Refusal("EXEC-UNREACHABLE")

    def act() -> None:
        handlers = {"user": user_exec_ended}
        typed = Typing(text, command.is_end, command.interrupts, command.echo)
        execs.write(fx, n, row, typed, handlers)

    return act


def _session(fx: Effects, command: WriteToExec) -> tuple[int, Exec]:
    """The exec that the command refers to, with its number. Raises Refusal."""
    rows = [(n, row) for n, row in fx.tables.execs.items() if row.purpose == "user"]
    if command.exec == NEWEST:
        pod, instance, _ = running_process(fx, command.target, command.container)
        rows = [(n, row) for n, row in rows if (row.pod, row.container) == (pod, instance.container) and row.state.input]
    else:
        rows = [(n, row) for n, row in rows if row.seq == command.exec]
    if not rows:
        raise Refusal("EXEC-OVER")
    return rows[-1]


def _type_into(text: str, command: WriteToExec, process: Process, host: Host) -> Turn:
    return type_into(process, text, host, is_end=command.is_end, interrupts=command.interrupts)


def _decoded(raw: str) -> str:
    try:
        return b64decode(raw, validate=True).decode("utf-8", "surrogateescape")
    except ValueError:
        raise bad_value("the input is no base64") from None


def _typed(command: WriteToExec) -> Data:
    """What the record says about an input: its beginning, if it is text."""
    return (("text", storable(command.text)[:200].rstrip("\n")),)


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
    omitted=("target", "container", "stdin", "tty", "apart"),
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

WRITE_TO_EXEC = Act(
    command=WriteToExec,
    handler=_write,
    subject=the_container,
    sentence=gettext_noop("Type into a command in {target}"),
    headline=gettext_noop("You typed into a command in {container}"),
    omitted=("target", "container", "exec", "text", "raw", "is_end", "interrupts", "echo"),
    details=_typed,
    icon="play",
    no_form="a session of the kubectl tab, or of a client",
    no_verb="whoever is at the terminal types",
    rules=(
        RuleText(
            "EXEC-OVER",
            gettext_noop("The command that this was typed into has ended."),
            "a command of the run",
        ),
    ),
)
