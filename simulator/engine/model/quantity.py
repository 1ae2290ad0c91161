"""Resource quantities such as ``100m``, ``1.5Gi`` and ``2e3``, exact to the nano.

A quantity is an integer count of nano units and the family of suffixes it was written in. Digits below nano are rounded
away from zero, and what does not fit in 63 bits saturates, as in Kubernetes.
Source: apimachinery resource/quantity.go. Cost: about 3 µs for a new text, 0.1 µs for one seen before.
"""

import re
from functools import lru_cache
from typing import Literal

from msgspec import Struct

from simulator.engine.kernel.errors import EngineError

Format = Literal["DecimalSI", "BinarySI", "DecimalExponent"]
Written = str | int | float
"""A quantity as in a manifest: a string, or a plain number."""

NANO = 10**9
MAX_VALUE = 2**63 - 1
QUANTITY_RULE = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
"""The API server's message about a string that is not a quantity."""
_SUFFIX_RULE = "unable to parse quantity's suffix"
"""Its message if only the suffix is invalid."""
_MAX_EXPONENT = 99
"""Our limit for exponents: larger ones are reduced to it before saturation, which changes no quantity below 1e90."""
_DIGITS_MAX = 300
"""How many digits before and after the point are read; more change nothing once exponents are limited to 99."""
_FAST_DIGITS = 18
"""With this many digits or fewer Kubernetes keeps a decimal quantity as written and does not saturate it."""

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIX = {bits: suffix for suffix, bits in _BINARY.items()} | {0: ""}
_PATTERN = re.compile(r"([+-]?)0*+([0-9]*+)(?:\.([0-9]*+))?([eEinumkKMGTP]*+(?:[+-]?[0-9]*+))", re.ASCII)
"""Possessive quantifiers prevent backtracking, so that matching is linear in the length."""
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)", re.ASCII)


class BadQuantity(EngineError):
    """A string that is not a quantity."""


class BadSuffix(BadQuantity):
    """A string that would be a quantity with another suffix."""


class Quantity(Struct, frozen=True, gc=False):
    """``nano`` billionths of the base unit, written in ``format``."""

    nano: int
    format: Format = "DecimalSI"


def parse(text: Written) -> Quantity:
    """Parse a quantity. Raises BadQuantity. Results for short texts are cached; long ones are not, so that they cannot fill the memory."""
    written = text if isinstance(text, str) else repr(text)
    return _kept(written) if len(written) <= _KEPT_CHARS_MAX else _parse(written)


def quantity_problem(text: Written) -> str:
    """The server's message about a string that is not a quantity; "" if it is one."""
    try:
        parse(text)
    except BadQuantity as error:
        return _SUFFIX_RULE if isinstance(error, BadSuffix) else QUANTITY_RULE
    return ""


_KEPT_CHARS_MAX = 100


def _parse(text: str) -> Quantity:
    match = _PATTERN.fullmatch(text) if text else None
    if match is None:
        raise BadQuantity(f"not a quantity: {text!r}")
    sign, whole, fraction, suffix = match[1], match[2][:_DIGITS_MAX] or "0", _cut(match[3] or ""), match[4]
    exponent, bits, form = _read_suffix(suffix, text)
    scale = max(-_MAX_EXPONENT, min(exponent, _MAX_EXPONENT)) - len(fraction)
    digits = int(whole + fraction) << bits
    nano = _to_nano(digits, scale)
    # Go keeps a short decimal in int64 and scale (int64Amount); only the long form (inf.Dec) saturates.
    stays_as_written = form != "BinarySI" and len(whole + fraction) <= _FAST_DIGITS and scale >= -9
    if not stays_as_written:
        nano = min(nano, MAX_VALUE * NANO)
    # A fraction of a byte has no binary suffix: 0.5Ki is fine, 0.0001Ki is written with m.
    if form == "BinarySI" and 0 < nano < NANO:
        form = "DecimalSI"
    return Quantity(-nano if sign == "-" else nano, form)


_kept = lru_cache(maxsize=4096)(_parse)


def _cut(fraction: str) -> str:
    """A fraction of at most 301 digits that rounds up like the whole of it."""
    kept, rest = fraction[:_DIGITS_MAX], fraction[_DIGITS_MAX:]
    return f"{kept}1" if rest.strip("0") else kept


def _read_suffix(suffix: str, text: str) -> tuple[int, int, Format]:
    """Decimal exponent, binary exponent and format of a suffix."""
    if suffix in _DECIMAL:
        return _DECIMAL[suffix], 0, "DecimalSI"
    if suffix in _BINARY:
        return 0, _BINARY[suffix], "BinarySI"
    match = _EXPONENT.fullmatch(suffix)
    if match is None:
        raise BadSuffix(f"not a quantity, unknown suffix: {text!r}")
    return int(match[1][:12]), 0, "DecimalExponent"


def _to_nano(digits: int, scale: int) -> int:
    """``digits`` × 10^scale in nano units, rounded up; ``digits`` is not negative."""
    shift = scale + 9
    if shift >= 0:
        return digits * int(10**shift)
    return -(-digits // int(10**-shift))


def _away_from_zero(number: int, divisor: int) -> int:
    quotient = -(-abs(number) // divisor)
    return quotient if number >= 0 else -quotient


def round_up(quantity: Quantity, scale: int) -> tuple[Quantity, bool]:
    """The quantity rounded away from zero to a multiple of 10^scale, and whether nothing was lost."""
    if scale <= -9:
        return quantity, True
    step = 10 ** (scale + 9)
    nano = int(_away_from_zero(quantity.nano, step) * step)
    return Quantity(nano, quantity.format), nano == quantity.nano


def value(text: Written) -> int:
    """Whole base units of a written quantity (bytes, cores), rounded away from zero. Raises BadQuantity."""
    return _away_from_zero(parse(text).nano, NANO)


def milli(text: Written) -> int:
    """Thousandths of a written quantity (CPU), rounded away from zero. Raises BadQuantity."""
    return _away_from_zero(parse(text).nano, 1_000_000)


def canonical(quantity: Quantity) -> str:
    """The canonical form in which Kubernetes writes this quantity: the largest suffix that leaves no fraction."""
    if quantity.nano == 0:
        return "0"
    # Below 1024 it is written without a suffix, as a decimal.
    if quantity.format == "BinarySI" and quantity.nano % NANO == 0 and abs(quantity.nano) >= 1024 * NANO:
        return _binary_text(quantity.nano // NANO)
    number, exponent = _without_zeros(quantity.nano)
    if quantity.format == "DecimalExponent" or exponent not in _DECIMAL_SUFFIX:
        return f"{number}e{exponent}" if exponent else str(number)
    return f"{number}{_DECIMAL_SUFFIX[exponent]}"


def _binary_text(number: int) -> str:
    bits = 0
    while number % 1024 == 0 and bits < 60:
        number, bits = number // 1024, bits + 10
    return f"{number}{_BINARY_SUFFIX[bits]}"


def _without_zeros(number: int) -> tuple[int, int]:
    """Number and exponent, a multiple of three, of a count of nano units."""
    exponent = -9
    while number % 1000 == 0:
        number, exponent = number // 1000, exponent + 3
    return number, exponent


def amount_text(resource: str, nano: int) -> str:
    """Billionths as a quantity of a resource: in thousandths if necessary, bytes in binary units if they come out whole."""
    if nano % _NANO:
        return f"{nano // (_NANO // 1000)}m"
    number = nano // _NANO
    for unit, size in (("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10)):
        if resource not in _COUNTED and number and number % size == 0:
            return f"{number // size}{unit}"
    return canonical(parse(str(number)))


_NANO = 1_000_000_000
_COUNTED = ("cpu", "pods", "count/pods")
"""Resources that are not bytes."""
