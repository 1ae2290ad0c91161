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
_OF_LINE = re.compile(r'error: (required flag\(s\) .* not set$|unknown command ".*" for "kubectl"$)')


def before_it_runs(error: BadLine, words: list[str], minor: int) -> BadLine:
    """The error as this version of kubectl words it."""
    text = str(error)
    if type(error) is not BadLine or not (_OF_FLAGS.match(text) or _OF_LINE.match(text)):
        return error
    if _OF_FLAGS.match(text) and "\nSee '" not in text:
        text = f"{text}\nSee 'kubectl {command_of(words)} --help' for usage."
    if _ERROR.holds_for(minor):
        text = f"E{text[1:]}"
        if text.endswith('for "kubectl"'):
            text = f"{text}\nRun 'kubectl --help' for usage."
    return BadLine(text)
