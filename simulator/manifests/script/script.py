"""Scripts: what is done to a run and when, as scenarios store it and ``simulate --script`` reads it.

A script is a YAML list of steps, each with ``at`` (seconds since the start) and one verb::

    - at: 12.0
      delete: {kind: Pod, names: [web], gracePeriodSeconds: 5}
    - at: 20
      apply: |
        apiVersion: v1
        …

``answer`` is what a real system replied. It only matters in one respect: a reply with a ``code`` came from the API server itself, so a
grace period of 0 was meant literally, whereas kubectl sends 1 instead unless forced. The engine's acts declare the verbs and turn steps
into commands; a verb or option that no command supports is an error that names its step.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.acts import all_acts
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.roles import BadRole, written_in
from simulator.engine.acts.script import BadStep, Verb
from simulator.engine.course.header import ScriptStep
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.projection.text import fill
from simulator.manifests.check.findings import Finding
from simulator.manifests.problems import ERROR, Problem, sorted_problems
from simulator.manifests.read.loader import RawDocument, load
from simulator.manifests.script.durations import duration_ms
from simulator.manifests.script.step import ScriptEntry
from simulator.manifests.texts import _

_NOT_VERBS = ("at", "answer")


class Script(Struct, frozen=True, kw_only=True):
    """The steps of a script in order of time, with the line of each, and what is wrong with it."""

    steps: tuple[ScriptStep, ...] = ()
    lines: tuple[int, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the script can be run."""
        return all(problem.severity != ERROR for problem in self.problems)


def read_script(text: str | bytes, *, kubernetes: str, namespace: str = "default", gates: Mapping[str, bool] | None = None) -> Script:
    """Read a script for a run of that Kubernetes version with ``gates`` set; pods without a namespace are in ``namespace``.

    Never raises because of the text.
    """
    loaded = load(text)
    problems = list(loaded.problems)
    steps: list[tuple[ScriptStep, int]] = []
    for document in loaded.documents:
        if not isinstance(document.value, list):
            problems.append(_problem(document, Finding(path="", message=_("a script must be a list of steps"), code="script")))
            continue
        for index, entry in enumerate(document.value):
            found = _read_step(document, index, entry, problems, namespace=namespace, kubernetes=kubernetes, gates=gates or {})
            steps += ((step, document.locate(f"[{index}]")[0]) for step in found)
    # The sort is stable: steps at the same moment stay in the order of the file.
    ordered = sorted(steps, key=lambda item: item[0].at_ms)
    return Script(
        steps=tuple(_plugin_returns(step for step, _line in ordered)),
        lines=tuple(line for _step, line in ordered),
        problems=sorted_problems(problems),
    )


def _problem(document: RawDocument, finding: Finding) -> Problem:
    line, column = document.locate(finding.path, key=True)
    return Problem(
        severity=finding.severity,
        message=finding.message,
        code=finding.code,
        line=line,
        column=column,
        path=finding.path,
        document=document.index,
    )


def _read_step(
    document: RawDocument, index: int, entry: Any, problems: list[Problem], *, namespace: str, kubernetes: str, gates: Mapping[str, bool]
) -> list[ScriptStep]:
    try:
        at_ms, verb = _heading(entry)
        step = ScriptEntry(
            path=f"[{index}]",
            verb=verb.name,
            body=entry[verb.name],
            sent_to_api=isinstance(entry.get("answer"), dict) and "code" in entry["answer"],
            namespace=namespace,
            kubernetes=kubernetes,
            gates=gates,
            source=document,
            problems=problems,
        )
        if verb.fields:
            step.only(*verb.fields)
        return [ScriptStep(at_ms=at_ms, command=_with_role(step, command)) for command in verb.read(step)]
    except BadStep as bad:
        problem = fill(_(bad.text.msgid), dict(bad.text.values))
        message = _("step %(number)d: %(problem)s") % {"number": index + 1, "problem": problem}
        path = f"[{index}].{bad.path}" if bad.path else f"[{index}]"
        problems.append(_problem(document, Finding(path=path, message=message, code="script")))
        return []


def _with_role(step: ScriptEntry, command: AnyCommand) -> AnyCommand:
    """The command with the full role if the step names a pod or object by one. Raises BadStep."""
    try:
        return written_in(command, step.namespace)
    except BadRole as error:
        raise BadStep(error.text.msgid, step.verb, **dict(error.text.values)) from None


def _heading(entry: Any) -> tuple[int, Verb]:
    """(time, verb) of a step."""
    if not isinstance(entry, dict):
        raise BadStep(gettext_noop("a step must be a map with at and one verb"))
    at_ms = duration_ms(entry.get("at"))
    if at_ms is None:
        raise BadStep(gettext_noop("at must be a number of seconds"), "at")
    verbs = [key for key in entry if key not in _NOT_VERBS]
    if len(verbs) != 1:
        raise BadStep(gettext_noop("a step must have exactly one verb"))
    verb = all_acts.ACTS.verbs.get(verbs[0])
    if verb is None:
        raise BadStep(gettext_noop('the verb "{verb}" is not supported'), verbs[0], verb=str(verbs[0]))
    return at_ms, verb


def _plugin_returns(steps: Iterable[ScriptStep]) -> Iterator[ScriptStep]:
    """The steps, with every second removal of a node's network plugin turned into its return: recorded scripts write both the same way."""
    missing: dict[str, bool] = {}
    for step in steps:
        command = step.command
        if isinstance(command, NodeControl) and command.network_plugin:
            is_removed = command.network_plugin == "missing" and not missing.get(command.node, False)
            missing[command.node] = is_removed
            yield replace(step, command=replace(command, network_plugin="missing" if is_removed else "present"))
        else:
            yield step
