"""Turn facts into text: labels, tones, icons and help by name. Pure; every text is translatable, API words never are.

The engine's texts come as message ids with values (``said``); the texts here are about words of the API and of the
user interface. The functions at the end format numbers and times; the scripts have the same functions.
"""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from simulator.engine.acts.act import Among, Wording, wordings_of
from simulator.engine.acts.all_acts import ACTS
from simulator.engine.apiserver.store.unacted import Unacted
from simulator.engine.projection import text as engine_text
from simulator.engine.projection.headlines import HEADLINES
from simulator.engine.projection.model import ContainerView
from simulator.engine.projection.requests import RequestRate
from simulator.engine.rules.machine_tables import ALL
from simulator.engine.rules.rulebook import RULEBOOK
from simulator.levels.words import clock
from simulator.runs.turns.places import Wait

_SCRIPTS = Path(__file__).resolve().parent.parent.parent / "static" / "js"
MESSAGES_JS = tuple(sorted(_SCRIPTS.rglob("messages.js")))
MESSAGE_LINE = re.compile(r'^  "([a-z0-9_.]+)": "((?:[^"\\]|\\.)*)",?$', re.MULTILINE)

Text = str | Promise


STATUS_HELP: dict[str, Text] = {
    "Pending": _("Accepted, but no container has run yet: not scheduled, or the kubelet has not reported."),
    "ContainerCreating": _("The kubelet is preparing sandbox, volumes or images."),
    "PodInitializing": _("Init containers are running; the app containers wait."),
    "Running": _("At least one container is running, and no container has a reason for kubectl to print instead."),
    "NotReady": _("One container has completed and another is running, but the pod is not ready."),
    "Completed": _("A container terminated with exit code 0."),
    "Error": _("A container terminated with a non-zero exit code."),
    "OOMKilled": _("The kernel killed a container that exceeded its memory limit."),
    "CrashLoopBackOff": _("A container keeps exiting; the kubelet waits before restarting it."),
    "ErrImagePull": _("The last attempt to pull an image failed."),
    "ImagePullBackOff": _("The kubelet waits before pulling the image again."),
    "InvalidImageName": _("The image name is not a valid reference."),
    "ErrImageNeverPull": _("The image is not on the node, and imagePullPolicy Never forbids pulling it."),
    "CreateContainerConfigError": _("Something the container’s configuration refers to is missing."),
    "CreateContainerError": _("The container runtime could not create the container."),
    "RunContainerError": _("The container was created but its process could not be started."),
    "StartError": _("The process could not be started."),
    "ContainerStatusUnknown": _("The kubelet cannot find the container any more, so how it ended is unknown."),
    "Failed": _("All containers have terminated, at least one with an error, and none has a reason for kubectl to print."),
    "Terminating": _("The pod has been deleted and its grace period is running. kubectl prints this word; it is not a phase."),
    "Unknown": _("The node has stopped reporting."),
    "SchedulingGated": _("Scheduling gates are holding the pod back."),
    "Evicted": _("The kubelet ended the pod to reclaim resources on the node."),
    "DeadlineExceeded": _("The pod was active for longer than activeDeadlineSeconds."),
}

LEVELS: dict[str, Text] = {"basic": _("Basic"), "intermediate": _("Intermediate"), "advanced": _("Advanced")}

NEXT: dict[str, Text] = {
    "probe_tick": _("next probe attempt"),
    "backoff_end": _("back-off ends"),
    "image_backoff_end": _("image back-off ends"),
    "grace_deadline": _("grace period ends"),
    "stop_deadline": _("KILL"),
    "pull_end": _("pull ends"),
}


def status_help(word: str) -> Text:
    """The meaning of a STATUS word of kubectl; empty if there is no text for it."""
    # Init:Error means the same as Error.
    return STATUS_HELP.get(word.rpartition(":")[2], "")


def title_text(title: str) -> str:
    """A title in the reader's language, part by part if a version or a branch follows it; users' titles are unchanged."""
    return " · ".join(gettext(part) if part else "" for part in title.split(" · "))


def next_label(name: str, subject: str) -> str:
    """The next event in words, with the container or probe it is about; empty if there is no label for it."""
    label = str(NEXT.get(name, ""))
    about = " · ".join(dict.fromkeys(subject.split("/")[3:]))
    return f"{about}: {label}" if label and about else label


LANES: dict[str, Text] = {
    "object": _("object"),
    "status_word": "STATUS",
    "phase": _("phase"),
    "condition": _("condition"),
    "container_status": _("container"),
    "hook": _("hook"),
    "stop": _("stop"),
    "volumes": _("volumes"),
    "k8s_event": _("event"),
    "node_condition": _("node condition"),
    "taint": _("taint"),
    "api_answer": _("API server"),
    "command": _("act"),
    "api_object": _("object"),
    "budget": _("budget"),
    "pod_eviction": _("eviction"),
    "user_namespace": _("user namespace"),
    "requests": _("requests"),
}


ACTOR_NAMES: dict[str, Text] = {
    "client": _("Client"),
    "api": _("API server"),
    "scheduler": _("Scheduler"),
    "controller": _("Controller"),
    "proxy": "kube-proxy",
    "kubelet": "kubelet",
    "runtime": _("Runtime"),
    "container": _("Container"),
}
"""The names of the actors in the Why tab and the narration."""


def lane_label(machine: str) -> str:
    """The label for a machine's records."""
    return str(LANES.get(machine, machine))


_STATES = {(machine.name, state.name): state.label for machine in ALL for state in machine.states}
_OUTCOMES: dict[tuple[str, str], Text] = {
    ("command", "accepted"): _("carried out"),
    ("command", "refused"): _("refused"),
    ("api_answer", "refused"): _("refused"),
    ("api_answer", "warned"): _("warned"),
    ("pod_eviction", "bypass"): _("no budget consulted"),
    ("pod_eviction", "free"): _("no budget"),
    ("pod_eviction", "spared"): _("does not count against the budget"),
    ("pod_eviction", "counted"): _("allowed by a budget"),
}


def state_word(machine: str, state: str) -> str:
    """The name of a state in the reader's language; API words (``Ready``, ``True``) are unchanged."""
    if (machine, state) in _OUTCOMES:
        return str(_OUTCOMES[machine, state])
    label = _STATES.get((machine, state), "")
    return gettext(label) if label and not state[:1].isupper() else state


def container_state(container: ContainerView, *, is_present: bool) -> str:
    """The heading of the container's card: the API's state, or the node's state if the object is gone."""
    if not is_present:
        return container.node_state
    return f"{container.state} · {container.reason}" if container.reason else container.state


OUTCOMES: dict[str, Text] = {
    "": "",
    "answered": _("answered"),
    "retried": _("answered on retry"),
    "error": _("answered with an error"),
    "refused": _("refused"),
    "timeout": _("timed out"),
    "reset": _("reset"),
    "waiting": _("in flight"),
}
"""The outcomes of requests."""


def rates_said(rates: Iterable[RequestRate]) -> list[dict[str, Text]]:
    """Request rates for a template: ``rate`` such as ``33.3``, the outcome in words, its tone."""
    return [{"rate": _thousandths(item.milli), "word": OUTCOMES[item.outcome], "tone": item.tone} for item in rates]


def _thousandths(milli: int) -> str:
    """A number with one decimal if it has any, or with three if it would be 0 otherwise."""
    if milli < 100:
        return f"{milli / 1000:.3f}".rstrip("0").rstrip(".")
    return f"{milli / 1000:.1f}".removesuffix(".0")


LEDGER: dict[str, Text] = {
    "hook": _("preStop hook"),
    "turn": _("waiting its turn"),
    "term": _("time after the stop signal"),
    "extra": _("two extra seconds"),
    "again": _("time counted from the end of the hook"),
    "kill": _("after KILL"),
}


def level_label(level: str) -> str:
    """The label of a scenario's level; the level itself if there is none."""
    return str(LEVELS.get(level, level))


def clock_text(moment: int | None) -> str:
    """``0:48.0`` for 48 000 ms, ``1:02:03.0`` after an hour, a dash for None."""
    return "–" if moment is None else clock(moment)


def computing_text(reached_ms: int, goal_ms: int) -> str:
    """How far a run has been computed on its way to a moment, in whole seconds: ``Computing the past: 3:12 of 24:00:00``."""
    at, whole = (clock_text(moment_ms).partition(".")[0] for moment_ms in (reached_ms, goal_ms))
    return _("Computing the past: {at} of {all}").format(at=at, all=whole)


def ahead_text(reached_ms: int, goal_ms: int) -> str:
    """How far a look ahead has got: ``Looking ahead: 3:12 of 24:00:00``."""
    at, whole = (clock_text(moment_ms).partition(".")[0] for moment_ms in (reached_ms, goal_ms))
    return _("Looking ahead: {at} of {all}").format(at=at, all=whole)


def wait_text(wait: Wait) -> str:
    """Why nobody drives a run, and what has to happen first."""
    if wait.reason == "queue":
        return gettext("This run is waiting for a free slot: it is number %(place)d in the queue.") % {"place": wait.place}
    if wait.reason == "owner":
        limit = {"limit": settings.SIM_RUNS_PER_OWNER_MAX}
        return gettext("You have %(limit)d active runs, the limit per visitor. This one waits until you close another.") % limit
    if wait.reason == "address":
        limit = {"limit": settings.SIM_RUNS_PER_ADDRESS_MAX}
        return gettext("Your network has %(limit)d active runs, which is the limit. This one waits until another is closed.") % limit
    if wait.reason == "runner":
        return gettext("No worker is available right now. The clock is paused until one is back.")
    return gettext("The run is about to resume.")


@cache
def js_message_sources() -> dict[str, str]:
    """Key → English text of every string the scripts show, read once from the ``messages.js`` files; empty without them."""
    # The scripts' own files, read as text, are the only source of these texts.
    pairs = [pair for path in MESSAGES_JS if path.is_file() for pair in MESSAGE_LINE.findall(path.read_text(encoding="utf-8"))]
    return {key: text.replace('\\"', '"').replace("\\\\", "\\") for key, text in pairs}


def js_messages() -> dict[str, str]:
    """Key → text in the reader's language, if it differs from the English text in the scripts."""
    return {key: told for key, text in js_message_sources().items() if (told := gettext(text)) != text}


OWN_SOURCES = ("spec", "recording", "fact", "a command of the run", "trace", "docs")
"""Prefixes of those parts of a rule's source that readers cannot look up."""


def said(text: engine_text.Text) -> str:
    """A text of the engine in the reader's language."""
    return engine_text.translated_text(text, gettext)


def rule_sentence(rule_id: str) -> str:
    """The sentence of a rule in the reader's language without a record to fill it in: an ellipsis for every value.

    The id if the registry has no such rule.
    """
    text = RULEBOOK.get(rule_id)
    return engine_text.fill(gettext(text.sentence), {}) if text else rule_id


def unacted_text(item: Unacted) -> str:
    """The text about something that the simulation does not act on, in the reader's language."""
    return gettext(item.sentence).format(**dict(item.data))


def source_text(source: str) -> str:
    """The parts of a rule's source that a reader can look up: upstream files and documents."""
    parts = [part.strip() for part in source.split(";")]
    return "; ".join(part for part in parts if not part.startswith(OWN_SOURCES))


def headlines() -> dict[str, str]:
    """The headlines of machine steps in the reader's language, by ``machine.target``; the target is empty for all others."""
    return {f"{machine}.{target}": gettext(msgid) for (machine, target), msgid in HEADLINES.items()}


def act_wordings() -> dict[str, dict[str, object]]:
    """The headlines of acts in the reader's language, by the tag of their command.

    ``texts`` are for certain values of ``field``, ``set`` for any other value, ``otherwise`` for none.
    """
    return {act.do: _wording(act.headline) for act in ACTS}


def _wording(wording: Wording) -> dict[str, object]:
    if isinstance(wording, Among):
        texts, (is_set, otherwise) = {value: gettext(msgid) for value, msgid in wording.texts}, (wording.otherwise, wording.otherwise)
    else:
        texts, (is_set, *_more, otherwise) = {}, 2 * wordings_of(wording)
    field = "" if isinstance(wording, str) else wording.field
    return {"field": field, "texts": texts, "set": gettext(is_set), "otherwise": gettext(otherwise)}


def rule_sentences() -> dict[str, str]:
    """Every rule's sentence in the reader's language, by id."""
    return {rule_id: gettext(text.sentence) for rule_id, text in RULEBOOK.items()}


def seconds_text(moment_ms: int) -> str:
    """``48.0`` for 48 000 ms, with as many decimals (1 to 3) as needed."""
    whole, rest = divmod(moment_ms, 1000)
    return f"{whole}.{rest:03d}".rstrip("0") + ("0" if rest == 0 else "")


def length_text(length_ms: int) -> str:
    """A duration in its shortest accurate form: ``850 ms``, ``7.2 s``, ``1 m 20 s``, ``2 h 5 m``."""
    if length_ms < 1000:
        return f"{length_ms} ms"
    if length_ms < 60_000:
        return f"{length_ms // 100 / 10:g} s"
    minutes, seconds = divmod(length_ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} m" if minutes else f"{hours} h"
    return f"{minutes} m {seconds} s" if seconds else f"{minutes} m"
