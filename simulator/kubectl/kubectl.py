"""A read-only kubectl: given a command line and a world at a moment, returns the text that kubectl would print, errors included.

The world is only read: the same line at the same moment has the same answer, and a page may ask as often as it likes.
Lines that change a run are handled in ``acting``, which turns them into commands.
"""

from collections.abc import Callable

from simulator.engine.apiserver.documents.custom import kind_in
from simulator.engine.kernel.units import Ms
from simulator.engine.world.world import World
from simulator.kubectl import cluster_info, context
from simulator.kubectl.acting.manifests import differing, viewed, with_input_objects
from simulator.kubectl.acting.verbs import GRAMMARS, dry_run, listed_pairs
from simulator.kubectl.cobra import before_it_runs
from simulator.kubectl.describe_objects import describe_picked
from simulator.kubectl.events import events
from simulator.kubectl.explain import explain
from simulator.kubectl.filters import through, through_all
from simulator.kubectl.get_objects import get
from simulator.kubectl.help import help_text, wants_help
from simulator.kubectl.line import (
    LISTED,
    READING,
    VIEW,
    WRITES,
    BadLine,
    EndedWith,
    Line,
    Printed,
    check_flags,
    dry_run_of,
    parse_line,
    verb_of,
)
from simulator.kubectl.logs import logs
from simulator.kubectl.rollout import rollout
from simulator.kubectl.shell import LINE_MAX, ShellLine, is_too_long, shell_line
from simulator.kubectl.tables.model import Sight, deprecated
from simulator.kubectl.top import top
from simulator.kubectl.wait import wait

__all__ = ["LINE_MAX", "answered", "kubectl"]
_VERBS: dict[str, Callable[[Line, Sight], str]] = {
    "get": get,
    "describe": describe_picked,
    "top": top,
    "events": events,
    "logs": logs,
    "rollout": rollout,
    "explain": explain,
    "api-resources": cluster_info.api_resources,
    "api-versions": cluster_info.api_versions,
    "version": cluster_info.version,
    "cluster-info": cluster_info.cluster_info,
    "config": context.config,
    "auth": cluster_info.auth,
    "wait": wait,
}


def kubectl(world: World, line: str, *, now_ms: Ms | None = None, namespace: str = "") -> str:
    """The output of a line that only reads, as ``answered`` has it."""
    return answered(world, line, now_ms=now_ms, namespace=namespace).text


def answered(world: World, line: str, *, now_ms: Ms | None = None, namespace: str = "", context: str = "") -> Printed:
    """The output and exit code of a line that only reads (get, describe, top …), ended by a line break.

    ``now_ms`` is the moment asked about (by default the world's own), ``namespace`` that of the context, for a line that names none (by
    default the run's own), ``context`` the name of the context. Never raises because of what the line says: where kubectl would refuse, the
    answer is kubectl's error. About 1 ms for a few pods.
    """
    if is_too_long(line):
        return Printed(f"error: the command line is longer than {LINE_MAX} characters\n", 1)
    sight = Sight(world, world.now_ms if now_ms is None else now_ms, namespace, context)
    try:
        typed = shell_line(line)
    except BadLine as error:
        return Printed(f"{error}\n", 1)
    exit_code = 0
    try:
        text = _looked(typed, sight)
    except EndedWith as error:
        text, exit_code = error.text, error.exit_code
    except BadLine as error:
        # The commands after the pipe run with empty input.
        return Printed(f"{before_it_runs(error, typed.words, sight.minor)}\n{through_all(typed.filters, '')}", 1)
    return Printed(through(typed.filters, text, from_container=verb_of(typed.words) == "logs"), exit_code)


def _looked(typed: ShellLine, sight: Sight) -> str:
    """The output for a line. Raises BadLine."""
    if wants_help(typed.words):
        return help_text(typed.words, {**READING, **GRAMMARS})
    if verb_of(typed.words) in LISTED and "--list" in typed.words:
        return listed_pairs(typed.words, typed.stdin, sight)
    if verb_of(typed.words) == "diff":
        return differing(typed.words, typed.stdin, sight)
    if verb_of(typed.words) == "apply" and VIEW in typed.words:
        return viewed(typed.words, typed.stdin, sight)
    if verb_of(typed.words) in WRITES and dry_run_of(typed.words)[0]:
        return dry_run(sight, typed.words, typed.stdin)
    line = parse_line(typed.words)
    check_flags(line, typed.words, sight.minor)
    asked = with_input_objects(line, typed.stdin, sight)
    warned = _warning(asked, sight)
    try:
        return f"{warned}{_VERBS[asked.verb](asked, sight)}"
    except EndedWith as error:
        raise EndedWith(f"{warned}{error.text}", error.exit_code) from None


def _warning(asked: Line, sight: Sight) -> str:
    """The API server's warning about a deprecated version of a kind, printed before the answer."""
    if asked.verb not in ("get", "describe"):
        return ""
    pairs = [word.partition("/")[0] for word in asked.words if "/" in word]
    named = pairs or (asked.words[0].split(",") if asked.words else [])
    kinds = {info.kind for word in named if (info := kind_in(sight.world, word)) is not None}
    texts = [deprecated(kind, sight) for kind in sorted(kinds)]
    return "".join(f"Warning: {text}\n" for text in texts if text)
