"""Lines about nodes: cordon, uncordon, drain, taint.

Source: kubectl pkg/cmd/drain, pkg/cmd/taint, pkg/util/taints.
"""

import json

from simulator.engine.acts.nodes.cordon import CordonNode
from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.nodes.taint import TaintNode
from simulator.engine.apiserver.validation.names import label_value_problems, qualified_name_problems
from simulator.engine.course.step import apply
from simulator.engine.kernel.bounded import is_digits
from simulator.engine.versions.span import Span
from simulator.engine.world.world import World
from simulator.kubectl.acting.action import KubectlAction, Step, Target, made, targets
from simulator.kubectl.drain import Draining
from simulator.kubectl.durations import BadDuration, seconds_of
from simulator.kubectl.line import BadLine, EndedWith, Line, unknown_flag
from simulator.kubectl.tables.model import Sight

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_KEYS_LISTED = Span(since=24)
"""The kubectl versions that list taints as keys rather than as JSON; seen with 1.20 and 1.24."""


def cordon(line: Line, sight: Sight) -> KubectlAction:
    """``kubectl cordon NODE…`` and ``kubectl uncordon NODE…``."""
    if not line.words and not line.value("selector"):
        raise BadLine(f"error: USAGE: {line.verb} NODE [flags]\nSee 'kubectl {line.verb} -h' for help and examples")
    unschedulable = line.verb == "cordon"
    found, missing = _nodes(line, sight, every=False)
    steps = (
        Step(command=CordonNode(node=item.name, unschedulable=unschedulable), done=f"node/{item.name} {line.verb}ed") for item in found
    )
    return made(steps, missing, nothing="")


def _nodes(line: Line, sight: Sight, *, every: bool) -> tuple[list[Target], list[str]]:
    words = [word.removeprefix("node/").removeprefix("nodes/") for word in line.words]
    found, missing = targets(line, sight, ["nodes", *words], every=every)
    if missing:
        raise BadLine("\n".join(missing))  # nothing is done to the others either
    return found, missing


_LOCAL_DATA = Span(until=31)
"""The kubectl versions that still take --delete-local-data; seen with 1.30 and 1.33."""
_RENAMED = "Flag --delete-local-data has been deprecated, This option is deprecated and will be deleted. Use --delete-emptydir-data."


def drain(line: Line, sight: Sight) -> KubectlAction:
    """``kubectl drain NODE``."""
    if not line.words and not line.value("selector"):
        raise BadLine("error: USAGE: drain NODE [flags]\nSee 'kubectl drain -h' for help and examples")
    try:
        timeout_s = seconds_of(line.value("timeout")) if line.value("timeout") else 0
    except BadDuration as error:
        raise BadLine(f'error: invalid argument "{line.value("timeout")}" for "--timeout" flag: {error}') from None
    grace = line.value("grace-period")
    if grace and (not is_digits(grace.removeprefix("-")) or len(grace) > 9):
        raise BadLine(f'error: invalid argument "{grace}" for "--grace-period" flag: strconv.ParseInt: parsing "{grace}": invalid syntax')
    renamed = "delete-local-data" in line.flags
    if renamed and not _LOCAL_DATA.holds_for(sight.minor):
        raise unknown_flag("delete-local-data", "drain")
    found, missing = _nodes(line, sight, every=False)
    said = [_RENAMED] if renamed else []
    return made((_draining(item.name, line, sight, timeout_s, int(grace or -1)) for item in found), missing, said=said, nothing="")


def _draining(node: str, line: Line, sight: Sight, timeout_s: int, grace_s: int) -> Step:
    command = DrainNode(
        node=node,
        force=line.has("force"),
        delete_emptydir_data=line.has("delete-emptydir-data") or line.has("delete-local-data"),
        ignore_daemonsets=line.has("ignore-daemonsets"),
        grace_s=None if grace_s < 0 else grace_s,
        timeout_s=timeout_s,
        disable_eviction=line.has("disable-eviction"),
        pod_selector=line.value("pod-selector"),
    )
    is_cordoned = sight.world.tables.nodes[node].unschedulable
    return Step(command=command, done=f"node/{node} {'already ' if is_cordoned else ''}cordoned")


def drain_tried(step: Step, world: World, suffix: str) -> list[str]:
    """What a drain prints that is only tried, with ``suffix``: its warnings, the pods that it would evict, and its end. Raises EndedWith
    where a filter forbids it."""
    command = step.command
    assert isinstance(command, DrainNode), "only a drain is tried so"
    records = apply(world.fork(), command)
    own = next(record for record in records if record.kind == "command")
    draining, found = Draining(command.node, own.seq, world.release.facts), [f"{step.done} {suffix}\n"]
    told = [text for record in records[records.index(own) + 1 :] for _, text in draining.output(record)]
    if draining.has_failed:
        raise EndedWith("".join([*found, *(f"{text}\n" for text in told)]))
    # What has ended goes at once: a trial does not come to that.
    found += [f"{text} {suffix}\n" if text.startswith("evicting pod ") else f"{text}\n" for text in told if "/" not in text.split()[0]]
    return [*found, f"node/{command.node} drained {suffix}\n"]


def taint(line: Line, sight: Sight) -> KubectlAction:
    """``kubectl taint nodes NODE key=value:effect key-``."""
    if line.words[:1] not in (("node",), ("nodes",), ("no",)):
        raise BadLine(
            f"error: invalid resource type {line.words[0]}, only node types are supported"
            if line.words
            else "error: one or more resources must be specified as <resource> <name>"
        )
    # A node's name contains no ``=`` or ``:`` and does not end in a dash.
    changes = [word for word in line.words[1:] if "=" in word or ":" in word or word.endswith("-")]
    names = [word for word in line.words[1:] if word not in changes]
    add = tuple(word for word in changes if not word.endswith("-"))
    remove = tuple(word.removesuffix("-") for word in changes if word.endswith("-"))
    if not changes:
        raise BadLine("error: at least one taint update is required")
    for word in changes:
        _check(word)
    found, missing = targets(line, sight, ["nodes", *names], every=line.has("all"))
    steps, errors = [], list(missing)
    both = sorted(
        {word.partition("=")[0].partition(":")[0] for word in add} & {word.partition("=")[0].partition(":")[0] for word in remove}
    )
    if both:
        listed = ", ".join(f"{key}=" for key in both) if _KEYS_LISTED.holds_for(sight.minor) else _as_json(both)
        raise BadLine(f"error: can not both modify and remove the following taint(s) in the same command: {listed}")
    done = "modified" if (add and remove) or (add and line.has("overwrite")) else "tainted" if add else "untainted"
    for item in found:
        taken = [] if line.has("overwrite") else _taken(sight, item.name, add)
        if taken:
            keys = ",".join(taken)
            errors.append(f"error: node {item.name} already has {keys} taint(s) with same effect(s) and --overwrite is false")
        else:
            steps.append(Step(command=TaintNode(node=item.name, add=add, remove=remove), done=f"node/{item.name} {done}"))
    return made(steps, errors, nothing="")


def _as_json(keys: list[str]) -> str:
    return json.dumps(dict.fromkeys(keys, ""), separators=(",", ":"))


def _check(word: str) -> None:
    """Raise BadLine for an invalid taint (pkg/util/taints parseTaint)."""
    spec = word.removesuffix("-")
    text, *effect = spec.split(":")
    key, *value = text.split("=") if effect else [text]
    help_line = "See 'kubectl taint -h' for help and examples"
    if effect and len(effect) < 2 and effect[0] not in _EFFECTS:
        raise BadLine(f"error: invalid taint effect: {effect[0]}, unsupported taint effect\n{help_line}")
    problems = [problem for text in value for problem in label_value_problems(text)] or qualified_name_problems(key)
    is_whole = len(effect) < 2 and len(value) < 2 and (effect or word.endswith("-"))
    if problems or not is_whole:
        why = f", {'; '.join(problems)}" if len(effect) < 2 and len(value) < 2 and problems else ""
        raise BadLine(f"error: invalid taint spec: {spec}{why}\n{help_line}")


def _taken(sight: Sight, node: str, add: tuple[str, ...]) -> list[str]:
    """The keys of the taints that the node already has with the same effect."""
    held = {(key, effect) for key, _, effect in sight.world.tables.nodes[node].taints}
    parts = [text.rpartition(":") for text in add]
    return [name.partition("=")[0] for name, _, effect in parts if (name.partition("=")[0], effect) in held]
