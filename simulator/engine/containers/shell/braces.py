"""Brace expansion of bash: ``a{b,c{d,e}}`` and ``{1..9..2}``.

It comes before all others and only rearranges the source: variables inside stay as they are.
"""

import re
from collections.abc import Callable
from itertools import pairwise

from simulator.engine.containers.effort import Meter
from simulator.engine.containers.syntax.ast import Lit, Part, Word

NESTING_MAX = 20
"""Nesting limit of braces; deeper ones are literal."""
_RANGE = re.compile(r"(-?[0-9]{1,18})\.\.(-?[0-9]{1,18})(?:\.\.(-?[0-9]{1,18}))?|([A-Za-z])\.\.([A-Za-z])")
_RANGE_CHARS_MAX = 60
Token = str | Part
"""One unquoted character, or a part that is taken as it is."""


def expanded(word: Word, meter: Meter, most: int, too_many: Callable[[], Exception]) -> list[Word]:
    """The words that ``word`` expands to; raises what ``too_many`` returns if there are more than ``most``."""
    if not any(isinstance(part, Lit) and not part.quoted and "{" in part.text for part in word.parts):
        return [word]
    tokens: list[Token] = []
    for part in word.parts:
        tokens += part.text if isinstance(part, Lit) and not part.quoted else (part,)
    meter.charge(4 * len(tokens))
    found = _Braces(tokens, meter, most, too_many).variants(0, len(tokens), 0)
    return [Word(_parts(variant)) for variant in found] if len(found) > 1 or found[0] != tokens else [word]


def _parts(tokens: list[Token]) -> tuple[Part, ...]:
    """Merge single characters back into literal texts."""
    parts: list[Part] = []
    run: list[str] = []
    for token in tokens:
        if isinstance(token, str):
            run.append(token)
            continue
        if run:
            parts.append(Lit("".join(run)))
            run = []
        parts.append(token)
    return (*parts, Lit("".join(run))) if run else tuple(parts)


class _Braces:
    """The tokens of one word, with the closing brace of each opening one."""

    def __init__(self, tokens: list[Token], meter: Meter, most: int, too_many: Callable[[], Exception]) -> None:
        self.tokens = tokens
        self.meter = meter
        self.most = most
        self.too_many = too_many
        self.closing: dict[int, int] = {}
        self.commas: dict[int, list[int]] = {}
        opened: list[int] = []
        for at, token in enumerate(tokens):
            if token == "{":
                opened.append(at)
                self.commas[at] = []
            elif token == "}" and opened:
                self.closing[opened.pop()] = at
            elif token == "," and opened:
                self.commas[opened[-1]].append(at)

    def variants(self, start: int, end: int, depth: int) -> list[list[Token]]:
        """The expansions of the tokens from ``start`` to ``end``."""
        results: list[list[Token]] = [[]]
        at = plain = start
        while at < end:
            choices = self._choices(at, depth) if self.tokens[at] == "{" else None
            if choices is None:
                at += 1
                continue
            results = self._joined(results, [self.tokens[plain:at]])
            results = self._joined(results, choices)
            at = plain = self.closing[at] + 1
        return self._joined(results, [self.tokens[plain:end]])

    def _joined(self, heads: list[list[Token]], tails: list[list[Token]]) -> list[list[Token]]:
        """Every head with every tail, in bash's order."""
        if tails == [[]]:
            return heads
        # Checked before the product is built: ``{1..999}{1..999}`` must not exist even briefly.
        if len(heads) * len(tails) > self.most:
            raise self.too_many()
        self.meter.charge(len(tails) * sum(len(head) + 8 for head in heads) + len(heads) * sum(len(tail) for tail in tails))
        return [head + tail for head in heads for tail in tails]

    def _choices(self, at: int, depth: int) -> list[list[Token]] | None:
        """The expansions of the brace at ``at``; None if it is literal."""
        end = self.closing.get(at)
        if end is None or depth >= NESTING_MAX:
            return None
        commas = self.commas[at]
        if not commas:
            return self._range(self.tokens[at + 1 : min(end, at + _RANGE_CHARS_MAX)]) if end - at <= _RANGE_CHARS_MAX else None
        cuts = [at, *commas, end]
        found: list[list[Token]] = []
        for low, high in pairwise(cuts):
            found += self.variants(low + 1, high, depth + 1)
            if len(found) > self.most:
                raise self.too_many()
        return found

    def _range(self, tokens: list[Token]) -> list[list[Token]] | None:
        """``1..9`` or ``a..e``, else None."""
        text = "".join(token if isinstance(token, str) else "\0" for token in tokens)
        match = _RANGE.fullmatch(text)
        if match is None:
            return None
        low, high, step, first, last = match.groups()
        if first is not None:
            start, end, by, width = ord(first), ord(last), 1, 0
        else:
            start, end, by = int(low), int(high), max(abs(int(step or 1)), 1)
            # ``{01..10}``: a leading zero requests equal width.
            padded = any(re.fullmatch(r"-?0[0-9]+", bound) for bound in (low, high))
            width = max(len(low), len(high)) if padded else 0
        span = range(start, end + 1, by) if start <= end else range(start, end - 1, -by)
        if len(span) > self.most:
            raise self.too_many()
        self.meter.charge(16 * len(span))
        return [list(chr(value) if first is not None else str(value).zfill(width)) for value in span]
