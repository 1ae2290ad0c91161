"""``export name=$value``: arguments of declaring builtins are expanded like assignments, without splitting."""

import re
from typing import assert_never

from simulator.engine.containers.syntax.ast import ArithSub, CommandSub, Lit, Param, Part, Word
from simulator.engine.containers.syntax.lexer import make_word

DECLARES = ("export", "local", "readonly", "declare", "typeset")
_BEGINS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")


def declared_word(word: Word, before: list[Word]) -> Word:
    """``word``; after ``export`` and the like a ``name=…`` word is not split, as in an assignment."""
    if not before or before[0].const not in DECLARES or word.const is not None or not word.parts:
        return word
    first = word.parts[0]
    if not isinstance(first, Lit) or not _BEGINS.match(first.text):
        return word
    parts: list[Part] = []
    for part in word.parts:
        if isinstance(part, Param):
            parts.append(Param(part.name, part.op, part.arg, part.arg2, part.index, True))
        elif isinstance(part, CommandSub):
            parts.append(CommandSub(part.body, True))
        elif isinstance(part, Lit | ArithSub):
            parts.append(part)
        else:
            assert_never(part)
    return make_word(parts)
