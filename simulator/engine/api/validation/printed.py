"""Values in messages that are no plain text or number: JSON from 1.34 on, Go's own notation before.

Source: apimachinery pkg/util/validation/field/errors.go ErrorBody.
"""

from decimal import Decimal
from typing import Any

from simulator.engine.api.validation.errors import Verbatim, go_quoted
from simulator.engine.api.validation.registry import Context


def listed(values: list[str], context: Context) -> Any:
    """A list of texts."""
    if "ValuesInJson" in context.features:
        return values
    return Verbatim("[]string{" + ", ".join(go_quoted(value) for value in values) + "}")


def quantity(value: Any, context: Context) -> Any:
    """A quantity as a structure; Go shows its digits and scale, for which it must be written without a binary suffix."""
    written = str(value)
    if "ValuesInJson" in context.features or written.endswith("i"):
        return written
    digits, scale = _digits(written)
    amount = f"resource.int64Amount{{value:{digits}, scale:{scale}}}"
    return Verbatim(f'resource.Quantity{{i:{amount}, d:resource.infDecAmount{{Dec:(*inf.Dec)(nil)}}, s:"", Format:"DecimalSI"}}')


_SUFFIXES = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}


def _digits(written: str) -> tuple[int, int]:
    suffix = _SUFFIXES.get(written[-1:], 0)
    number = Decimal(written[:-1] if suffix else written)
    exponent = min(int(number.as_tuple().exponent), 0)
    return int(number.scaleb(-exponent)), exponent + suffix
