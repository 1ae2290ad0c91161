"""The acting verbs: their flags, and the function that says which commands of the run they mean."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from simulator.engine.acts.roles import with_role
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.world.world import World
from simulator.kubectl.acting import autoscale, nodes, objects, pods, rollout
from simulator.kubectl.acting.action import KubectlAction, targets
from simulator.kubectl.acting.roles import with_roles_named
from simulator.kubectl.line import READING, WRITES, BadLine, Grammar, Line, grammar, only_looks, parse_words, verb_of, words_of
from simulator.kubectl.tables.model import Sight

_WAIT = {"wait": "true"}
_CHANGING = "all overwrite all-namespaces"
_VERBS: dict[str, tuple[Grammar, Callable[[Line, Sight], KubectlAction]]] = {
    "delete": (
        grammar(
            "all force now ignore-not-found", "grace-period selector field-selector timeout filename",
            {**_WAIT, "cascade": "background"}, f="filename",
        ),
        objects.delete,
    ),
    "label": (grammar("all overwrite", "selector field-selector"), objects.label),
    "annotate": (grammar("all overwrite", "selector field-selector"), objects.annotate),
    "patch": (grammar("", "patch type subresource", p="patch"), objects.patch),
    "scale": (grammar("all", "replicas current-replicas selector timeout"), objects.scale),
    "autoscale": (grammar("", "min max cpu-percent cpu memory name"), autoscale.autoscale),
    "set": (grammar("all", "selector"), objects.set_image),
    "rollout": (grammar("", "selector to-revision timeout", {"watch": "true"}), rollout.rollout),
    "cordon": (grammar("", "selector"), nodes.cordon),
    "uncordon": (grammar("", "selector"), nodes.cordon),
    "drain": (
        grammar(
            "force delete-emptydir-data delete-local-data ignore-daemonsets disable-eviction",
            "grace-period timeout pod-selector selector skip-wait-for-delete-timeout chunk-size",
        ),
        nodes.drain,
    ),
    "taint": (grammar("all overwrite", "selector"), nodes.taint),
    "exec": (grammar("stdin tty quiet", "container pod-running-timeout", c="container", i="stdin", t="tty", q="quiet"), pods.exec_in),
    "debug": (
        grammar("stdin tty quiet", "image container target profile", {"attach": "true"}, c="container", i="stdin", t="tty", q="quiet"),
        pods.debug,
    ),
    "evict": (grammar("", "grace-period selector"), pods.evict),
    "run": (grammar("command", "image restart port labels"), pods.run),
}  # fmt: skip
EDITED = ("apply", "create", "replace", "edit")
"""Verbs that send manifests: a page opens the editor for them."""
ACTING = (*_VERBS, *EDITED)
"""Every verb that is understood."""


class NeedsEditor(BadLine):
    """A line that sends a manifest. ``object`` is ``Kind/namespace/name`` of what is edited, empty for new objects."""

    def __init__(self, found: str) -> None:
        super().__init__("error: there is no file here; the editor of a run takes the manifest")
        self.object = found


def is_acting(text: str) -> bool:
    """Whether a line means to change something."""
    try:
        words, _ = _piped(words_of(text))
    except BadLine:
        return False
    return verb_of(words) in WRITES and not only_looks(words)


def action_of(world: World, text: str, *, now_ms: Ms | None = None) -> KubectlAction:
    """The commands that a line means at this moment. Raises BadLine in kubectl's words, NeedsEditor for a manifest.

    A pod may be named by its role, ``deployment/web[2]``. The commands name a controller's pods by their roles in either case.
    """
    words, stdin = _piped(words_of(text))
    # Roles first: the rest of the line is read as kubectl reads it, by names.
    words, roles = with_roles_named(words, world)
    action = _action(world, words, stdin, now_ms)
    return replace(action, steps=tuple(replace(step, command=_by_role(world, step.command, roles)) for step in action.steps))


def _by_role(world: World, command: Command, roles: Mapping[Key, str]) -> Command:
    key: Key = getattr(command, "target", "")
    return replace(command, target=roles.get(key) or with_role(world.tables, key)) if key else command


def _action(world: World, words: list[str], stdin: str, now_ms: Ms | None) -> KubectlAction:
    sight, verb = Sight(world, world.now_ms if now_ms is None else now_ms), verb_of(words)
    if verb == "create" and "--raw" in words:
        place = words.index("--raw") + 1
        return pods.create_raw(words[place] if place < len(words) else "", stdin, sight)
    if verb in EDITED:
        raise NeedsEditor(_edited(words, sight) if verb == "edit" else "")
    if verb not in _VERBS:
        raise BadLine(f"error: this command line does not know {verb}; it knows {', '.join(dict.fromkeys((*READING, *ACTING)))}")
    flags, act = _VERBS[verb]
    return act(parse_words(words, verb, flags), sight)


def _edited(words: list[str], sight: Sight) -> str:
    """The object that ``edit TYPE NAME`` names."""
    line = parse_words(words, "edit", grammar("", ""))
    found, missing = targets(line, sight)
    if missing or len(found) != 1:
        raise BadLine(missing[0] if missing else "error: the editor takes one object at a time")
    return f"{found[0].info.kind}/{found[0].namespace}/{found[0].name}"


def _piped(words: list[str]) -> tuple[list[str], str]:
    """``echo TEXT | kubectl …`` as the words of kubectl and its input."""
    if words[:1] == ["echo"] and "|" in words:
        place = words.index("|")
        rest = words[place + 1 :]
        return rest[1:] if rest[:1] == ["kubectl"] else rest, " ".join(words[1:place])
    return words, ""
