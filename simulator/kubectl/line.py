"""A parsed kubectl command line: the verb, what it is about, its flags, and the command after ``--``.

Every verb has its own flags and shorthands. Whether a word is the value of a flag depends on the flag, so the verb is
found first and its grammar parses the rest. ``--`` ends the flags: what follows is a command. Flags of kubectl that
would mean something else here are refused with the reason. Source: kubectl pkg/cmd, spf13/pflag.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.kernel.errors import EngineError
from simulator.engine.versions.span import Span


class BadLine(EngineError):
    """A command line that kubectl refuses, with kubectl's message."""


class EndedWith(BadLine):
    """A line that kubectl answered at least in part before it ended with ``exit_code``. ``text`` is all that it printed."""

    def __init__(self, text: str, exit_code: int = 1) -> None:
        super().__init__(text.removesuffix("\n"))
        self.text, self.exit_code = text, exit_code


class Printed(Struct, frozen=True):
    """What kubectl prints, on both its streams, and the code that it ends with; not that of the commands behind its pipe."""

    text: str
    exit_code: int = 0


def unknown_flag(name: str, verb: str) -> BadLine:
    """The client's error for a flag that its version does not have."""
    return BadLine(f"error: unknown flag: --{name}\nSee 'kubectl {verb} --help' for usage.")


class Grammar(Struct, frozen=True):
    """The flags of a verb: ``switches`` are on or off, ``valued`` need a value, ``optional`` have a default for when none is given."""

    switches: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    optional: dict[str, str] = {}
    short: dict[str, str] = {}

    def names(self) -> frozenset[str]:
        """Every flag."""
        return self.switches | self.valued | frozenset(self.optional)


_SHORT = {"n": "namespace", "A": "all-namespaces", "o": "output", "l": "selector", "L": "label-columns", "w": "watch"}


def grammar(switches: str = "", valued: str = "", optional: dict[str, str] | None = None, **short: str) -> Grammar:
    """The grammar of these flags; every verb has a namespace, and the usual shorthands of its flags."""
    on, with_value, may = frozenset(switches.split()), frozenset(["namespace", *valued.split()]), optional or {}
    usual = {letter: name for letter, name in _SHORT.items() if name in on | with_value | set(may)}
    return Grammar(on, with_value, may, {**usual, **short})


READING = {
    "get": grammar(
        "all-namespaces show-labels no-headers show-kind ignore-not-found watch watch-only output-watch-events",
        "output template selector field-selector label-columns sort-by chunk-size request-timeout filename raw",
        {"allow-missing-template-keys": "true", "show-managed-fields": "true", "server-print": "true"}, f="filename",
    ),
    "describe": grammar("all-namespaces show-events", "selector filename chunk-size", f="filename"),
    "top": grammar("all-namespaces containers no-headers sum", "selector sort-by field-selector"),
    "diff": grammar("server-side force-conflicts show-managed-fields recursive", "filename field-manager selector", f="filename"),
    "events": grammar("all-namespaces no-headers watch", "output for types"),
    "logs": grammar(
        "follow previous timestamps all-containers prefix ignore-errors",
        "container tail since since-time limit-bytes selector max-log-requests pod-running-timeout",
        f="follow", p="previous", c="container",
    ),
    "rollout": grammar("", "revision timeout output template selector", {"watch": "true"}, w="watch"),
    "explain": grammar("recursive", "api-version output"),
    "api-resources": grammar("no-headers cached", "output api-group verbs sort-by categories", {"namespaced": "true"}),
    "api-versions": grammar(),
    "version": grammar("client short", "output"),
    "cluster-info": grammar(),
    "config": grammar("minify raw flatten no-headers current", "output template cluster user"),
    "auth": grammar("all-namespaces list quiet no-headers", "as as-group subresource output", q="quiet"),
    "wait": grammar("all all-namespaces", "for timeout selector field-selector"),
}  # fmt: skip
"""The verbs that only read, with their flags."""
WRITES = (
    *("annotate", "apply", "autoscale", "cordon", "create", "debug", "delete", "drain", "edit", "evict", "exec", "expose", "label"),
    *("patch", "replace", "rollout", "run", "scale", "set", "taint", "type", "uncordon"),
)
"""The verbs that change something; ``acting`` supports most of them."""
LISTED = {"label": "labels", "annotate": "annotations", "set": ""}
"""Verbs that only print with --list, and where the listed pairs are in the metadata (set lists variables, which are not in it)."""
UNKNOWN_HERE = ("alpha", "certificate", "completion", "kuberc", "kustomize", "options", "plugin")
"""kubectl's other verbs."""
ALPHA_DEBUG = ["alpha", "debug"]
"""The name of debug before it became a command of its own."""
VIEW = "view-last-applied"
"""The subcommand of apply that only reads."""
_ELSEWHERE = {
    "attach": "logs shows what a container prints, and exec -it POD -- sh is a shell in it; a kubectl of your own at this run attaches",
    "cp": "there are no files here to copy from or to: exec POD -- cat FILE shows one; a kubectl of your own at this run copies",
    "port-forward": "there are no ports here to listen at: exec in a pod asks another with wget or curl; "
    "a kubectl of your own at this run forwards them",
    "proxy": "there are no ports here to listen at",
}
"""Verbs that need something a page does not have, and what to use instead."""


class Line(Struct, frozen=True, kw_only=True):
    """A parsed command line. ``words`` are the arguments that are not flags; ``flags`` the values by long name, "true" for a switch."""

    verb: str
    words: tuple[str, ...]
    flags: dict[str, str]
    command: tuple[str, ...] = ()  # what follows --
    sent: tuple[tuple[str, str, str], ...] = ()  # kind, namespace and name of each object in the input of -f -
    every: dict[str, tuple[str, ...]] = {}  # all values of each flag, in order; ``flags`` has the last one

    def has(self, flag: str) -> bool:
        """Whether a switch is on."""
        return self.flags.get(flag, "false") not in ("false", "")

    def value(self, flag: str) -> str:
        """The value of a flag; empty if it is not given."""
        return self.flags.get(flag, "")

    @property
    def watches(self) -> bool:
        """Whether the answer continues with later changes."""
        return self.has("watch") or self.has("watch-only")

    def given(self, flag: str) -> tuple[str, ...]:
        """Every value of a flag that may be given several times."""
        return self.every.get(flag, ())

    def listed(self, flag: str) -> list[str]:
        """Every value of a flag that may be repeated or take several values separated by commas."""
        return [item for value in self.given(flag) for item in value.split(",")]

    def with_words(self, words: Iterable[str]) -> "Line":
        """The same line with other words."""
        return replace(self, words=tuple(words))


def verb_of(words: list[str]) -> str:
    """The verb: the first word that is neither a flag nor the value of ``-n``; empty if there is none."""
    is_value = False
    for word in words[1:] if words[:2] == ALPHA_DEBUG else words:
        if word.startswith("-"):
            # Only the namespace: any other flag in front would have its value taken for the verb.
            is_value = word in ("-n", "--namespace")
        elif is_value:
            is_value = False
        else:
            return word
    return ""


def only_looks(words: list[str]) -> bool:
    """Whether a line with a verb that changes something only reads: a dry run, rollout status or history, what was last applied."""
    if verb_of(words) == "rollout" and any(word in ("status", "history") for word in words):
        return True
    if verb_of(words) in LISTED and "--list" in words:
        return True
    if verb_of(words) == "apply" and VIEW in words:
        return True
    return bool(dry_run_of(words)[0])


def dry_run_of(words: list[str]) -> tuple[str, list[str]]:
    """The value of ``--dry-run`` (``client``, ``server`` or any other; empty if none), and the words without the flag."""
    end = words.index("--") if "--" in words else len(words)
    flags = [word for word in words[:end] if word == "--dry-run" or word.startswith("--dry-run=")]
    rest = [word for word in words[:end] if word not in flags]
    # Without a value it still means client, with a warning.
    value = (flags[-1].partition("=")[2] or "client") if flags else ""
    return "" if value == "none" else value, [*rest, *words[end:]]


_NESTED = {"create": ("service", "secret"), "rollout": (), "set": (), "top": (), "auth": (), "config": ()}
"""Verbs with subcommands, and which of these have subcommands of their own."""
_ALIASES = {"pods": "pod", "po": "pod", "nodes": "node", "no": "node", "sa": "serviceaccount"}


def command_of(words: list[str]) -> str:
    """The command of a line with its subcommands: ``create secret generic``."""
    verb = verb_of(words)
    plain = [word for word in words[words.index(verb) + 1 :] if not word.startswith("-")] if verb in words else []
    if verb not in _NESTED or not plain:
        return verb
    return " ".join([verb, *(_ALIASES.get(word, word) for word in plain[: 2 if plain[0] in _NESTED[verb] else 1])])


_SPANS = {
    ("auth", "output"): Span(since=26),
    ("get", "show-managed-fields"): Span(since=21),
    ("top", "sum"): Span(since=25),
    ("version", "short"): Span(until=27),
}
"""The client versions that have a flag, for flags that not all of them have; seen with 1.20, 1.24, 1.27 and 1.37."""
_ROLLOUTS_SELECTED = Span(since=24)
"""The client versions whose rollout takes a selector; seen with 1.20 and 1.24."""
_SHORT_NAMESPACE = Span(since=35)
"""The client versions whose ``config set-context`` knows -n (kubernetes#134384)."""


def check_flags(line: Line, words: list[str], minor: int) -> None:
    """Raise BadLine if the client of this version does not have a flag of the line."""
    short = next((word for word in words if word.startswith("-n")), "")
    if short and line.verb == "config" and line.words[:1] == ("set-context",) and not _SHORT_NAMESPACE.holds_for(minor):
        raise BadLine(f"error: unknown shorthand flag: 'n' in {short}\nSee 'kubectl config set-context --help' for usage.")
    check_selected(line, words, minor)
    for name in line.flags:
        if (span := _SPANS.get((line.verb, name))) is not None and not span.holds_for(minor):
            if line.verb == "auth":  # output belongs to another group of flags there, so it is the shorthand that is unknown
                raise BadLine("error: unknown shorthand flag: 'o' in -o\nSee 'kubectl auth --help' for usage.")
            raise unknown_flag(name, command_of(words))


def check_selected(line: Line, words: list[str], minor: int) -> None:
    """Raise BadLine if a rollout line has a selector that the client of this version does not take."""
    short = next((word for word in words if word.startswith("-l")), "")
    if line.verb == "rollout" and line.value("selector") and not _ROLLOUTS_SELECTED.holds_for(minor):
        command = command_of(words)
        if short:
            raise BadLine(f"error: unknown shorthand flag: 'l' in {short}\nSee 'kubectl {command} --help' for usage.")
        raise unknown_flag("selector", command)


def parse_line(words: list[str]) -> Line:
    """Parse the line of a verb that only reads. Raises BadLine."""
    verb, known = verb_of(words), ", ".join(READING)
    if verb in WRITES and not only_looks(words):
        raise BadLine(f"error: this command line only reads; it knows {known}")
    if verb in _ELSEWHERE:
        raise BadLine(f"error: this command line does not know {verb}: {_ELSEWHERE[verb]}")
    if verb in UNKNOWN_HERE:
        raise BadLine(f"error: this command line does not know {verb}; it knows {', '.join(dict.fromkeys((*READING, *WRITES)))}")
    if verb not in READING:
        raise BadLine(f'error: unknown command "{verb}" for "kubectl"' if verb else f"error: this command line knows {known}")
    # --watch has no effect here: the rows are those of the moment, and the page asks again as the playhead moves.
    return parse_words(words, verb, READING[verb])


def parse_words(words: list[str], verb: str, known: Grammar) -> Line:
    """Parse the words by the grammar of their verb. Raises BadLine."""
    flags: dict[str, list[str]] = {}
    end = words.index("--") if "--" in words else len(words)
    plain = list(_Flags(command_of(words) if verb in ("rollout", "set", "top", "config") else verb, known, flags).plain(words[:end]))
    # If a flag is repeated the last value wins, as in pflag; some flags collect all of them.
    last = {name: values[-1] for name, values in flags.items()}
    every = {name: tuple(values) for name, values in flags.items()}
    return Line(verb=verb, words=tuple(plain[1:]), flags=last, command=tuple(words[end + 1 :]), every=every)


class _Flags:
    """Collects the flags of one line into ``found``."""

    def __init__(self, verb: str, known: Grammar, found: dict[str, list[str]]) -> None:
        self.verb, self.grammar, self.found = verb, known, found

    def plain(self, words: list[str]) -> Iterator[str]:
        """The words that are not flags."""
        rest = iter(words)
        for word in rest:
            if word.startswith("--") and len(word) > 2:
                name, equals, value = word[2:].partition("=")
                self._take(name, value if equals else None, rest)
            elif word.startswith("-") and len(word) > 1:
                self._shorthands(word[1:], rest)
            else:
                yield word

    def _shorthands(self, letters: str, rest: Iterator[str]) -> None:
        """``-A``, ``-n x``, ``-nx``, ``-owide``, ``-o=wide``."""
        name = self.grammar.short.get(letters[0])
        if name is None:
            raise BadLine(f"error: unknown shorthand flag: '{letters[0]}' in -{letters}\nSee 'kubectl {self.verb} --help' for usage.")
        more = letters[1:]
        # A letter that takes a value takes the rest of the word.
        if name in self.grammar.valued:
            self._take(name, more.removeprefix("=") if more else None, rest, shown=f"'{letters[0]}' in -{letters}")
            return
        # ``-it=false`` switches i on and t off.
        is_set = more.startswith("=")
        self._take(name, more[1:] if is_set else None, rest)
        if more and not is_set:
            self._shorthands(more, rest)

    def _take(self, name: str, given: str | None, rest: Iterator[str], *, shown: str = "") -> None:
        if name not in self.grammar.names():
            raise unknown_flag(name, self.verb)
        if name in self.grammar.valued and given is None:
            given = next(rest, None)
            if given is None:
                raise BadLine(f"error: flag needs an argument: {shown or f'--{name}'}")
        self.found.setdefault(name, []).append(given if given is not None else self.grammar.optional.get(name, "true"))
