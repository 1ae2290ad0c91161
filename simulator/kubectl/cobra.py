"""The errors that kubectl prints before it runs a command: the messages of the library that parses its flags, which changed with 1.24.

Source: spf13/cobra, spf13/pflag; kubectl pkg/cmd/util (UsageErrorf), component-base cli/run.go. Seen with 1.20.0,
1.22.0, 1.23 and 1.24.0.
"""

import re

from simulator.engine.versions.span import Span
from simulator.kubectl.line import BadLine, command_of

_ERROR = Span(until=23)
"""The kubectl versions in which the library prints its own errors, beginning with a capital letter."""
_FLAGS = r'error: (unknown flag|unknown shorthand flag|flag needs an argument|invalid argument ".*" for ".*" flag):'
_OF_FLAGS = re.compile(_FLAGS, re.DOTALL)
_UNKNOWN = re.compile(r'error: unknown command "(.+)" for "kubectl"$')
_LONG = 20
"""More letters than any command has, and than may differ."""
_OF_LINE = re.compile(r'error: (required flag\(s\) .* not set$|unknown command ".*" for "kubectl"$)')


_COMMANDS = (
    *("create", "expose", "run", "set", "explain", "get", "edit", "delete", "rollout", "scale", "autoscale", "certificate"),
    *("cluster-info", "top", "cordon", "uncordon", "drain", "taint", "describe", "logs", "attach", "exec", "port-forward", "proxy", "cp"),
    *("auth", "debug", "events", "diff", "apply", "patch", "replace", "wait", "kustomize", "label", "annotate", "completion", "plugin"),
    *("version", "api-versions", "api-resources", "config"),
)
"""kubectl's commands in the order in which it suggests them."""
_NEAR = 2
"""How many letters may differ in a command that is suggested."""


def _distance(one: str, other: str) -> int:
    """The letters to insert, remove or replace to make one word the other (Levenshtein). O(letters²)."""
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        before, row[0] = row[0], place
        for column, right in enumerate(other, 1):
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, before + (letter != right))
    return row[-1]


def _meant(text: str) -> str:
    """The commands that an unknown one may have been meant for."""
    found = _UNKNOWN.match(text)
    if found is None or len(found[1]) > _LONG:
        return ""
    verb = found[1].lower()
    if verb in _COMMANDS:  # its version does not have it
        return ""
    alike = [name for name in _COMMANDS if name.startswith(verb) or _distance(verb, name) <= _NEAR]
    return "".join(["\n\nDid you mean this?", *(f"\n\t{name}" for name in alike)]) if alike else ""


def before_it_runs(error: BadLine, words: list[str], minor: int) -> BadLine:
    """The error as this version of kubectl words it."""
    text = str(error)
    if type(error) is not BadLine or not (_OF_FLAGS.match(text) or _OF_LINE.match(text)):
        return error
    if _OF_FLAGS.match(text) and "\nSee '" not in text:
        text = f"{text}\nSee 'kubectl {command_of(words)} --help' for usage."
    is_unknown, meant = text.endswith('for "kubectl"'), _meant(text)
    text = f"{text}{meant}"
    if _ERROR.holds_for(minor):
        text = f"E{text[1:]}"
        if is_unknown:
            blank = "\n" if meant else ""
            text = f"{text}{blank}\nRun 'kubectl --help' for usage."
    return BadLine(text)
