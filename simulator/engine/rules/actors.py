"""Who does what in a record, and to whom: the lifelines of a sequence diagram.

Most machines determine it. Where they do not (an object changes, an Event is written, a note is made) the source of the rule does:
it names the component's files.

The order of the look-up: a command comes from the client; then exceptions by rule, then by machine and
target, then by machine alone. Everything else follows from the rule's owner: the first file in its source.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.rule_text import RuleText
from simulator.engine.rules.rulebook import RULEBOOK

Actor: TypeAlias = Literal["client", "api", "scheduler", "controller", "proxy", "kubelet", "runtime", "container"]
ACTORS: tuple[Actor, ...] = ("client", "api", "scheduler", "controller", "proxy", "kubelet", "runtime", "container")
"""From client to container, in the order in which they are drawn side by side."""
Message: TypeAlias = tuple[Actor, Actor]
"""Sender and receiver of a message; the same twice for a component's internal step."""

_KUBELET: Message = ("kubelet", "kubelet")
_ASKED: Message = ("kubelet", "runtime")
_SAID: Message = ("runtime", "kubelet")
_MESSAGES: Mapping[tuple[str, str], Message] = {
    ("container", "creating"): _ASKED,
    ("container", "pulling"): _ASKED,
    ("container", "stopping"): _ASKED,
    ("container", "running"): ("runtime", "container"),
    ("container", "exited"): ("container", "runtime"),
    ("stop", "pre_stop"): ("kubelet", "container"),
    ("stop", "term"): ("runtime", "container"),
    ("stop", "killed"): ("runtime", "container"),
    ("stop", "stopped"): ("container", "runtime"),
    ("hook", "running"): ("kubelet", "container"),
    ("hook", "done"): ("container", "kubelet"),
    ("hook", "failed"): ("container", "kubelet"),
    ("sandbox", "creating"): _ASKED,
    ("sandbox", "stopped"): _ASKED,
    ("sandbox", "ready"): _SAID,
    ("pod_worker", "syncing"): ("api", "kubelet"),
    ("probe_attempt", "suppressed"): _KUBELET,
    ("probe_attempt", ""): ("container", "kubelet"),
    ("status_word", ""): ("api", "client"),
    ("requests", ""): ("client", "container"),
    ("api_answer", ""): ("api", "client"),
    ("scheduling", "unschedulable"): ("scheduler", "scheduler"),
    ("scheduling", ""): ("scheduler", "api"),
    ("runtime", ""): ("runtime", "runtime"),
}
"""By machine and target; an empty target is any other one."""
_RULES: Mapping[str, Message] = {
    "SANDBOX-DIED": _SAID,
    "STOP-FORGOTTEN": _KUBELET,
    "WORKER-DELETION": ("api", "kubelet"),
}
_INSIDE = ("container", "stop", "hook", "sandbox", "pod_worker", "probe", "volumes", "pod_actions", "backoff", "orphan", "user_namespace")
"""Machines that are internal to a kubelet, except for the cases above."""
_WRITTEN = ("object", "api_object", "phase", "condition", "container_status", "k8s_event", "node_condition", "taint", "budget", "resize")
"""Records about API objects: the owner of the rule writes them there."""
_SOURCES: tuple[tuple[str, Actor], ...] = (
    ("pkg/kubelet", "kubelet"),
    ("pkg/scheduler", "scheduler"),
    ("pkg/controller", "controller"),
    ("pkg/proxy", "proxy"),
    ("kubectl", "client"),
    ("pkg/registry", "api"),
    ("apiserver", "api"),
    ("apimachinery", "api"),
    ("pkg/apis", "api"),
    ("pkg/printers", "api"),
    ("registry/", "api"),
    ("admission", "api"),
    ("containerd", "runtime"),
    ("runtime", "runtime"),
    ("kernel", "runtime"),
)


def message_of(record: Record, rulebook: Mapping[str, RuleText] = RULEBOOK) -> Message:
    """Sender and receiver of what a record reports."""
    if record.machine == "command":
        return "client", _touched(record)
    found = _RULES.get(record.rule) or _MESSAGES.get((record.machine, record.target)) or _MESSAGES.get((record.machine, ""))
    if found is not None:
        return found
    actor = actor_of(record.rule, rulebook)
    if record.machine in _INSIDE:
        return _KUBELET
    if record.machine in _WRITTEN:
        return (actor or "kubelet" if record.subject.startswith(_OF_NODE) else actor or "controller"), "api"
    actor = actor or ("kubelet" if record.subject.startswith(_OF_NODE) else "controller")
    return actor, actor


_UNNAMED = ("command", "import", "status_word", "requests", "api_answer")
_OF_NODE = ("pod/", "container/", "probe/", "condition/", "node/", "image/")


def actors_of_steps(rulebook: Mapping[str, RuleText] = RULEBOOK) -> dict[str, Actor | None]:
    """The component behind a step, by ``machine.target`` (an empty target is any other one), and by rule for every other machine.

    As in ``message_of``, except that a kubelet itself runs its probes and accepts its pods. None for acts, for
    what kubectl prints and for answers to it: their sentences name the actor.
    """
    steps: dict[str, Actor] = {f"{machine}.{target}": sender for (machine, target), (sender, _) in _MESSAGES.items()}
    rules: dict[str, Actor] = {rule_id: actor for rule_id in rulebook if (actor := actor_of(rule_id, rulebook))}
    kubelets: dict[str, Actor] = dict.fromkeys((*(f"{machine}." for machine in _INSIDE), "probe_attempt.", "pod_worker.syncing"), "kubelet")
    return {**rules, **steps, **kubelets, **dict.fromkeys(f"{machine}." for machine in _UNNAMED)}


def _touched(record: Record) -> Actor:
    """What a user's act affects: faults bypass the API and go straight to where they happen."""
    if record.subject.startswith(("container/", "probe/")):
        return "container"
    return "kubelet" if record.subject.startswith(("node/", "image/")) else "api"


def actor_of(rule_id: str, rulebook: Mapping[str, RuleText] = RULEBOOK) -> Actor | None:
    """The owner of a rule, by the first file in its source; None if the source names no component."""
    rule = rulebook.get(rule_id)
    if rule is None:
        return None
    # The position in the text decides, not the order of the table: the first file named is the component's own.
    places = [(place, actor) for word, actor in _SOURCES if (place := rule.source.find(word)) >= 0]
    return min(places)[1] if places else None
