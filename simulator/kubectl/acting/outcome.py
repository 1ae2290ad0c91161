"""What kubectl prints for a line that changes something, worked out from the records of its commands.

Source: kubectl pkg/cmd/util/helpers.go, pkg/cmd/exec, pkg/drain and pkg/cmd/drain; observed on a 1.20.2 cluster.

kubectl waits for what it started: for a deleted pod to go, a drain to finish, a command to exit. Here the answer grows
with the playhead instead: it contains what was known by the moment shown.
"""

import json
import re
from collections.abc import Iterator, Sequence

from simulator.engine.acts.containers.exec import NEWEST, ExecInContainer, WriteToExec
from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.objects.server_side_apply import ApplyServerSide
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.roles import target_text
from simulator.engine.apiserver.answer import Answer, Cause, not_found
from simulator.engine.apiserver.patch.request import UNEXPLAINED
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Seq
from simulator.engine.versions.span import Span
from simulator.engine.world.sessions import exec_said
from simulator.engine.world.world import World
from simulator.kubectl.acting.action import KubectlAction, Step
from simulator.kubectl.acting.attached import AttachedSoFar, followed
from simulator.kubectl.acting.recreating import recreated
from simulator.kubectl.drain import Draining
from simulator.kubectl.filters import through
from simulator.kubectl.tables.model import Sight

_INVALID = re.compile(r'(\w+)(?:\.[\w.-]+)? "([^"]*)" is invalid: ')
_REVIEW = """Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the `--force-conflicts` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See """
"""What kubectl apply adds to a list of conflicts (pkg/cmd/apply)."""
_OLD_PAGE = "http://k8s.io/docs/reference/using-api/api-concepts/#conflicts"
_PAGE = "https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts"
_PAGE_MOVED = Span(since=22)
"""The kubectl versions that link to the newer page; seen with 1.20 and 1.22."""
_SAYS_WHY = Span(since=25)
"""The kubectl versions that repeat the server's message about a request without details; seen with 1.24 and 1.27."""
_RPC = "rpc error: code = Unknown desc = "


def answer_of(action: KubectlAction, seqs: Sequence[Seq], past: Sequence[Record], world: World) -> str:
    """The text for an action whose commands have these records, as of the end of ``past``; ``world`` is the world at that moment.

    ``past`` begins with record 1. Costs as much as has been recorded since the commands.
    """
    found = [f"{text}\n" for text in action.said if text]
    for step, seq in zip(action.steps, seqs, strict=False):
        lines = [text for text in _output(step, past[seq - 1], past[seq:], Sight(world, world.now_ms)) if text]
        found += lines if step.printed and past[seq - 1].target != "refused" else [f"{text}\n" for text in lines]
    if (attached := following(action, seqs, past, world)) is not None:
        found.append(attached.text)
    text = "".join((*found, *(f"{text}\n" for text in action.errors if text)))
    return through(
        action.filters, text, from_container=any(isinstance(step.command, ExecInContainer | WriteToExec) for step in action.steps)
    )


def following(action: KubectlAction, seqs: Sequence[Seq], past: Sequence[Record], world: World) -> AttachedSoFar | None:
    """How far a line has come with the pod that it attaches to, or with what it creates again; None for other lines, and where the pod was
    refused.

    The arguments are those of ``answer_of``.
    """
    if action.recreation is not None:
        return recreated(action, seqs, past, world, refusal_of)
    place = next((n for n, step in enumerate(action.steps) if step.is_attached), len(seqs))
    if action.attached is None or place >= len(seqs) or past[seqs[place] - 1].target == "refused":
        return None
    return followed(action.attached, seqs[place], past, world)


def exit_code_of(action: KubectlAction, seqs: Sequence[Seq], past: Sequence[Record], world: World) -> int:
    """The code that kubectl ends with: that of the command in a container, else 1 where it has told an error; 0 of what still goes on.

    The arguments are those of ``answer_of``.
    """
    codes = [_code(step.command, past[seq - 1], past[seq:], world) for step, seq in zip(action.steps, seqs, strict=False)]
    if (attached := following(action, seqs, past, world)) is not None:
        codes.append(attached.exit_code)
    return next(filter(None, codes), 1 if any(action.errors) else 0)


def _code(command: Command, own: Record, after: Sequence[Record], world: World) -> int:
    if own.target == "refused":
        return int(own.rule != "COMMAND-ALREADY")  # what is so already is no error
    if isinstance(command, DrainNode):
        return int(_drain_of(own, after, Sight(world, world.now_ms))[1].has_failed)
    begun = own.seq if isinstance(command, ExecInContainer) else command.exec if isinstance(command, WriteToExec) else NEWEST
    end = next((record for record in after if record.rule == "EXEC-DONE" and record.cause == begun), None)
    if end is None:
        return 0
    return 1 if str(end.get("text") or "").startswith(_RPC) else int(end.get("exit_code") or 0)


def is_over(action: KubectlAction, seqs: Sequence[Seq], past: Sequence[Record], world: World) -> bool:
    """Whether kubectl would have returned: commands in containers have exited, drains are done, deleted pods are gone."""
    if not action.waits:
        return True
    if (attached := following(action, seqs, past, world)) is not None:
        return attached.is_over
    pairs = zip(action.steps, seqs, strict=False)
    return all(past[seq - 1].target == "refused" or _is_over(step.command, past[seq - 1], past[seq:], world) for step, seq in pairs)


def overdue(action: KubectlAction, seqs: Sequence[Seq], past: Sequence[Record], world: World) -> str:
    """The error for each pod that is still there when kubectl stops waiting, one per line."""
    pairs = zip(action.steps, seqs, strict=False)
    waiting = [past[seq - 1] for step, seq in pairs if not _is_over(step.command, past[seq - 1], past[seq:], world)]
    names = [own.subject.rpartition("/")[2].partition("#")[0] for own in waiting if own.target != "refused"]
    return "".join(f"error: timed out waiting for the condition on pods/{name}\n" for name in names)


def _is_over(command: Command, own: Record, after: Sequence[Record], world: World) -> bool:
    if isinstance(command, ExecInContainer):
        return command.stdin or any(record.rule == "EXEC-DONE" and record.cause == own.seq for record in after)
    if isinstance(command, DrainNode):
        return _drained(own, after, Sight(world, world.now_ms))[1]
    if isinstance(command, DeletePod) and not command.force:
        row = world.tables.pods.get(own.subject.partition("/")[2])
        return row is None or row.gone_ms is not None
    return True


def _output(step: Step, own: Record, after: Sequence[Record], sight: Sight) -> Iterator[str]:
    if own.target == "refused":
        yield refusal_of(step, own, sight.minor)
        return
    if isinstance(step.command, ExecInContainer):
        yield from _executed(step.command, own, after, sight)
        return
    if isinstance(step.command, WriteToExec):
        yield from _typed(step.command, after, sight)
        return
    if step.prefix:
        yield step.done.replace(f"/{step.prefix}", f"/{_made_up(step.prefix, own, after)}", 1)
        return
    is_same = step.unchanged is not None and not any(record.cause == own.seq for record in after)
    yield step.unchanged if is_same and step.unchanged is not None else step.done
    if isinstance(step.command, DrainNode):
        yield from _drained(own, after, sight)[0]


def _made_up(prefix: str, own: Record, after: Sequence[Record]) -> str:
    """The name that the server generated for the object of a command."""
    names = (record.subject.rpartition("/")[2] for record in after if record.cause == own.seq)
    return next((name for name in names if name.startswith(prefix)), prefix)


def refusal_of(step: Step, record: Record, minor: int) -> str:
    """What kubectl prints when a step is refused."""
    message = str(record.get("message") or "")
    if isinstance(step.command, ApplyServerSide) and record.get("reason") == "Conflict" and message.startswith("Apply failed"):
        return f"error: {message}\n{_REVIEW}{_PAGE if _PAGE_MOVED.holds_for(minor) else _OLD_PAGE}"
    if str(record.get("reason") or "") == "Invalid" and message == UNEXPLAINED:
        return f"The request is invalid: {message}" if _SAYS_WHY.holds_for(minor) else "The request is invalid"
    if step.failing and message:
        return f"error: {step.failing}{message.removesuffix(chr(10))}"
    words, reason = refusal_words(step.command, record), str(record.get("reason") or "")
    # For an invalid object kubectl builds the message from the details, which leave the source out.
    return words.replace(": ", f": {step.source}", 1) if step.source and reason not in ("", "Invalid") else words


def refusal_words(command: Command, record: Record) -> str:
    """What kubectl prints when the API server, the kubelet or kubectl itself refuses the command."""
    message, reason = str(record.get("message") or ""), str(record.get("reason") or "")
    if record.rule == "COMMAND-NOT-RUNNING":
        return f'error: unable to upgrade connection: container not found ("{getattr(command, "container", "")}")'
    if record.rule == "COMMAND-NO-NODE":
        return not_found("nodes", str(getattr(command, "node", ""))).answer.kubectl
    if record.rule == "COMMAND-NO-POD" and not reason:
        return not_found("pods", target_text(str(getattr(command, "target", ""))).rpartition("/")[2].partition("#")[0]).answer.kubectl
    if record.rule == "COMMAND-ALREADY":
        return message
    if not reason:
        return f"error: {message or record.rule}"
    causes = json.loads(str(record.get("causes") or "[]"))
    named = _INVALID.match(message)
    kind, name = named.groups() if named else ("", "")
    details = tuple(Cause(reason=item.get("reason", ""), message=item.get("message", ""), field=item.get("field", "")) for item in causes)
    return Answer(code=int(record.get("code") or 0), reason=reason, message=message, kind=kind, name=name, causes=details).kubectl


def executing_words(error: str) -> str:
    """The API server's message for a runtime error about a command that could not be run."""
    return f"Internal error occurred: error executing command in container: {error.removeprefix(_RPC)}"


def _typed(command: WriteToExec, after: Sequence[Record], sight: Sight) -> Iterator[str]:
    """The whole session that was typed into, and how it ended; nothing if the text came through a pipe."""
    if command.exec == NEWEST:
        return
    said = exec_said(sight.world, command.exec)
    yield said.printed.removesuffix("\n")
    end = next((record for record in after if record.rule == "EXEC-DONE" and record.cause == command.exec), None)
    if end is not None and int(end.get("exit_code") or 0):
        yield f"command terminated with exit code {end.get('exit_code')}"


def _executed(command: ExecInContainer, own: Record, after: Sequence[Record], sight: Sight) -> Iterator[str]:
    """The output of a command that has exited, or of one at a terminal; nothing yet for any other that is still running."""
    end = next((record for record in after if record.rule == "EXEC-DONE" and record.cause == own.seq), None)
    if end is None:
        if command.stdin:
            yield exec_said(sight.world, own.seq).printed
        return
    text, code = str(end.get("text") or ""), int(end.get("exit_code") or 0)
    if text.startswith(_RPC):
        yield f"error: {executing_words(text)}"
        return
    yield text.removesuffix("\n")
    if code:
        yield f"command terminated with exit code {code}"


def _drained(own: Record, after: Sequence[Record], sight: Sight) -> tuple[list[str], bool]:
    """A drain's output so far (evictions, pods that are gone, the end), and whether it is over."""
    found, draining = _drain_of(own, after, sight)
    return found, draining.is_over


def _drain_of(own: Record, after: Sequence[Record], sight: Sight) -> tuple[list[str], Draining]:
    """The lines of a drain, and the drain as far as it has come."""
    drain = Draining(own.subject.removeprefix("node/"), own.seq, sight.facts)
    found: list[str] = []
    for record in after:
        # Another drain of the same node has begun: what follows belongs to that one.
        if record.kind == "command" and record.get("do") == own.get("do") and record.subject == own.subject:
            drain.is_over = True
            return found, drain
        found += (line for _, line in drain.output(record))
    found += (line for _, line in drain.rest())
    return found, drain
