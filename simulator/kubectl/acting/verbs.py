"""The verbs that change something: their flags, and the functions that turn a line into commands of the run."""

from collections.abc import Callable, Iterable, Mapping

from msgspec.structs import replace

from simulator.engine.acts.nodes.drain import DrainNode
from simulator.engine.acts.roles import with_role
from simulator.engine.course.step import apply
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.versions.span import Span
from simulator.engine.world.world import World
from simulator.kubectl.acting import autoscale, debugging, nodes, objects, pods, rollout, setting
from simulator.kubectl.acting.action import KubectlAction, Step, targets
from simulator.kubectl.acting.change_cause import RECORDING, with_cause
from simulator.kubectl.acting.creating import EXPOSE, RUN, check_dry_run, dry_run_text, generating, is_generating
from simulator.kubectl.acting.manifests import FLAGS, SENDING, dry_printed, sending, with_input_objects
from simulator.kubectl.acting.outcome import refusal_of
from simulator.kubectl.acting.printing import printed, printing, prints
from simulator.kubectl.acting.roles import with_roles_named
from simulator.kubectl.cobra import before_it_runs
from simulator.kubectl.find import namespace_of
from simulator.kubectl.help import wants_help
from simulator.kubectl.line import (
    ALPHA_DEBUG,
    LISTED,
    READING,
    WRITES,
    BadLine,
    EndedWith,
    Grammar,
    Line,
    check_selected,
    command_of,
    dry_run_of,
    grammar,
    only_looks,
    parse_words,
    unknown_flag,
    verb_of,
)
from simulator.kubectl.shell import shell_line
from simulator.kubectl.tables.model import Sight

_WAIT = {"wait": "true"}
_LABELED_ALIKE = Span(until=20)
"""The kubectl versions whose label does not mark a dry run as such; seen with 1.20 and 1.24."""
_SCALED_ALIKE = Span(until=25)
"""The kubectl versions whose scale does not mark it either; seen with 1.24 and 1.27."""
_COMPARES = Span(since=36)
"""The kubectl versions whose client-side dry run of apply tells what would stay the same; seen with 1.33 and 1.37."""
_TRIES_NO_EVICTION = Span(until=20)
"""kubectl whose ``drain --dry-run=server`` fails at the first eviction, a defect of its own."""
_DEBUG_WAS_ALPHA = Span(until=20)
_ALPHA_NOTE = 'NOTE: "kubectl alpha debug" is deprecated and will be removed in release 1.21. Please use "kubectl debug" instead.\n'
_PRINTING = ("annotate", "autoscale", "label", "patch", "rollout", "scale", "set", "taint")
"""The verbs that print objects with -o."""
_PLAIN_VERBS: dict[str, tuple[Grammar, Callable[[Line, Sight], KubectlAction]]] = {
    "delete": (
        grammar(
            "all all-namespaces force now ignore-not-found", "grace-period selector field-selector timeout filename output",
            {**_WAIT, "cascade": "background"}, f="filename",
        ),
        objects.delete,
    ),
    "label": (
        grammar("all all-namespaces overwrite list", "selector field-selector filename resource-version", f="filename"), objects.label,
    ),
    "annotate": (
        grammar("all all-namespaces overwrite list", "selector field-selector filename resource-version", f="filename"), objects.annotate,
    ),
    "patch": (grammar("", "patch patch-file type subresource filename", p="patch", f="filename"), objects.patch),
    "scale": (grammar("all", "replicas current-replicas selector timeout filename", f="filename"), objects.scale),
    "autoscale": (grammar("", "min max cpu-percent cpu memory name"), autoscale.autoscale),
    "set": (
        grammar(
            "all list local", "selector containers limits requests from keys prefix user group serviceaccount env filename",
            {"overwrite": "true", "resolve": "true"}, c="containers", e="env", f="filename",
        ),
        setting.set_part,
    ),
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
    "type": (grammar("end interrupt"), pods.type_in),
    "debug": (
        grammar(
            "stdin tty quiet same-node replace arguments-only", "image container target profile copy-to set-image image-pull-policy env",
            {"attach": "true", "share-processes": "true"}, c="container", i="stdin", t="tty", q="quiet",
        ),
        debugging.debug,
    ),
    "evict": (grammar("", "grace-period selector"), pods.evict),
}  # fmt: skip
_VERBS = {
    verb: (printing(flags, records=verb in RECORDING) if verb in _PRINTING else flags, act) for verb, (flags, act) in _PLAIN_VERBS.items()
}
GRAMMARS = {**{verb: flags for verb, (flags, _) in _VERBS.items()}, "run": RUN, "expose": EXPOSE, **dict.fromkeys(SENDING, FLAGS)}
"""The flags of the verbs that change something."""
EDITED = ("apply", "create", "replace", "edit")
"""Verbs that send manifests: a page opens the editor for them."""
ACTING = (*_VERBS, "run", "expose", *EDITED)
"""Every verb that changes something and is supported here."""


class NeedsEditor(BadLine):
    """A line that sends a manifest. ``object`` is the ``Kind/namespace/name`` to edit, empty for new objects, which go to ``namespace``."""

    def __init__(self, found: str = "", namespace: str = "") -> None:
        super().__init__("error: there is no file here; the editor of a run takes the manifest")
        self.object, self.namespace = found, namespace


def is_acting(text: str) -> bool:
    """Whether a line is meant to change something."""
    try:
        words = shell_line(text).words
    except BadLine:
        return False
    return verb_of(words) in WRITES and not only_looks(words) and not wants_help(words)


def action_of(world: World, text: str, *, now_ms: Ms | None = None, namespace: str = "") -> KubectlAction:
    """The commands that a line stands for at this moment.

    A pod may be named by its role, ``deployment/web[2]``; the commands name a controller's pods by role either way.
    ``namespace`` is that of the context, for lines that name none; by default the run's own. Raises BadLine with kubectl's message,
    NeedsEditor for a manifest.
    """
    typed = shell_line(text)
    # Roles first: the rest of the line is parsed as kubectl parses it, with names only.
    words, roles = with_roles_named(typed.words, world, chosen=namespace)
    try:
        action = _action(Sight(world, world.now_ms if now_ms is None else now_ms, namespace), words, typed.stdin)
    except BadLine as error:
        raise before_it_runs(error, words, world.release.minor) from None
    recreation = action.recreation and replace(action.recreation, line=text)
    steps = (replace(step, command=_by_role(world, step.command, roles)) for step in action.steps)
    return replace(action, filters=typed.filters, recreation=recreation, steps=tuple(steps))


def _by_role(world: World, command: Command, roles: Mapping[Key, str]) -> Command:
    key: Key = getattr(command, "target", "")
    return replace(command, target=roles.get(key) or with_role(world.tables, key)) if key else command


def _action(sight: Sight, words: list[str], stdin: str, strategy: str = "") -> KubectlAction:
    verb = verb_of(words)
    if words[:2] == ALPHA_DEBUG:
        if not _DEBUG_WAS_ALPHA.holds_for(sight.minor):
            raise BadLine('error: unknown command "debug" for "kubectl alpha"')
        action = _action(sight, words[1:], stdin, strategy)
        return replace(action, said=(_ALPHA_NOTE, *action.said))
    if verb == "create" and "--raw" in words:
        place = words.index("--raw") + 1
        return pods.create_raw(words[place] if place < len(words) else "", stdin, sight)
    if is_generating(words, verb):
        return generating(words, verb, sight, strategy=strategy)
    if verb in SENDING and stdin:
        return sending(words, verb, stdin, sight, strategy=strategy)
    if verb in EDITED:
        raise _for_editor(words, verb, sight)
    if verb not in _VERBS:
        raise BadLine(f"error: this command line does not know {verb}; it knows {', '.join(dict.fromkeys((*READING, *ACTING)))}")
    flags, act = _VERBS[verb]
    line = with_input_objects(parse_words(words, verb, flags), stdin, sight)
    check_selected(line, words, sight.minor)
    action = act(line, sight)
    if verb in _PRINTING:
        action = with_cause(printed(action, line, sight, strategy=strategy), line, sight)
    return pods.with_input(action, stdin if stdin.endswith("\n") else f"{stdin}\n") if verb == "exec" and stdin else action


def _for_editor(words: list[str], verb: str, sight: Sight) -> NeedsEditor:
    """What the editor is opened for. Raises BadLine."""
    if verb == "edit":
        return NeedsEditor(_edited(words, sight))
    line = parse_words(words, verb, FLAGS)
    return NeedsEditor(namespace=namespace_of(line, sight))


def _edited(words: list[str], sight: Sight) -> str:
    """The object that ``edit TYPE NAME`` names."""
    line = parse_words(words, "edit", grammar("", ""))
    found, missing = targets(line, sight)
    if missing or len(found) != 1:
        raise BadLine(missing[0] if missing else "error: the editor takes one object at a time")
    return f"{found[0].info.kind}/{found[0].namespace}/{found[0].name}"


def listed_pairs(words: list[str], stdin: str, sight: Sight) -> str:
    """What ``label --list``, ``annotate --list`` and ``set env --list`` print: one pair per line. Raises BadLine."""
    verb = verb_of(words)
    line = with_input_objects(parse_words(words, verb, _VERBS[verb][0]), stdin, sight)
    if verb == "set":
        return setting.listed_variables(line, sight)
    found, missing = targets(line, sight, every=line.has("all"))
    pairs = [f"{key}={value}" for item in found for key, value in (item.document["metadata"].get(LISTED[verb]) or {}).items()]
    return _all_told([f"{text}\n" for text in pairs], missing)


def _all_told(said: list[str], errors: Iterable[str]) -> str:
    """The text of what was said and of the errors behind it. Raises EndedWith where there are errors."""
    told = [f"{text}\n" for text in errors if text]
    if told:
        raise EndedWith("".join([*said, *told]))
    return "".join(said)


def dry_run(sight: Sight, words: list[str], stdin: str) -> str:
    """What a line that would change something prints with ``--dry-run``; nothing is changed. Raises BadLine.

    For a client dry run only the line itself is checked. For a server dry run its commands are carried out in a fork of
    the world, which is then thrown away: O(world).
    """
    world, verb = sight.world, verb_of(words)
    strategy, rest = dry_run_of(words)
    if verb == "rollout" and "undo" not in words:
        raise unknown_flag("dry-run", command_of(words))
    if strategy not in ("client", "server"):
        raise BadLine(f'error: Invalid dry-run value ({strategy}). Must be "none", "server", or "client".')
    if is_generating(words, verb):
        check_dry_run(words, verb, sight)
    if strategy == "client" and is_generating(words, verb):
        return dry_run_text(words, verb, sight)
    if strategy == "client" and verb == "autoscale":
        return autoscale.dry_text(parse_words(rest, verb, _VERBS[verb][0]), sight)
    if strategy == "client" and verb in SENDING and stdin and prints(parse_words(rest, verb, FLAGS)):
        return dry_printed(rest, verb, stdin, sight)
    action = _action(sight, with_roles_named(rest, sight.world, chosen=sight.chosen)[0], stdin, strategy)
    suffix = "(dry run)" if strategy == "client" else "(server dry run)"
    said, is_refused = [f"{text}\n" for text in action.said if text], False
    fork = world.fork() if strategy == "server" else None
    compares = verb == "apply" and _COMPARES.holds_for(sight.minor)
    for step in action.steps:
        if isinstance(step.command, DrainNode) and not (fork is not None and _TRIES_NO_EVICTION.holds_for(sight.minor)):
            said += nodes.drain_tried(step, world, suffix)
            continue
        refused, is_same = _tried(fork, step, sight) if fork is not None else ("", compares and _tried(world.fork(), step, sight)[1])
        said += [refused] if refused else _dry(step, suffix, sight.minor, is_same=is_same)
        is_refused |= bool(refused) and not refused.endswith((" already cordoned\n", " already uncordoned\n"))
    text = _all_told(said, action.errors)
    if is_refused:
        raise EndedWith(text)
    return text


def _tried(fork: World, step: Step, sight: Sight) -> tuple[str, bool]:
    """Why a server, a fork of the world, does not take a command, as kubectl tells it; empty where it does. And whether nothing changes."""
    records = apply(fork, step.command)
    own = next(record for record in records if record.kind == "command")
    if own.target == "refused":
        return f"{refusal_of(step, own, sight.minor)}\n", False
    return "", step.unchanged is not None and not any(record.cause == own.seq for record in records)


def _dry(step: Step, suffix: str, minor: int, *, is_same: bool = False) -> list[str]:
    """The output for a command of a dry run."""
    if step.printed:
        return [step.done]
    done = step.unchanged if is_same and step.unchanged is not None else step.done
    # patch and taint do not mark a dry run; label once did not either.
    scaled = (" scaled",) if _SCALED_ALIKE.holds_for(minor) else ()
    silent = (
        *scaled,
        " patched",
        " tainted",
        " untainted",
        " modified",
        *((" labeled", " not labeled") if _LABELED_ALIKE.holds_for(minor) else ()),
    )
    return [f"{text}\n" if text.endswith(silent) or " " not in text else f"{text} {suffix}\n" for text in done.split("\n") if text]
