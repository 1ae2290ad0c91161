"""Family ``quantity``."""

from simulator.engine.kernel.json_text import Json
from simulator.engine.model.quantity import NANO, BadQuantity, Quantity, canonical, parse, round_up


def evaluate(case: Json) -> Json:
    """Parse, compare or round."""
    if case["op"] == "cmp":
        first, second = parse(case["a"]).nano, parse(case["b"]).nano
        return {"result": (first > second) - (first < second)}
    if case["op"] == "roundUp":
        rounded, exact = round_up(parse(case["text"]), case["scale"])
        return {"value": decimal_text(rounded), "exact": exact}
    try:
        quantity = parse(case["text"])
    except BadQuantity:
        return {"valid": False}
    return {"valid": True, "value": decimal_text(quantity), "format": quantity.format, "canonical": canonical(quantity)}


def decimal_text(quantity: Quantity) -> str:
    """The value in base units as a plain decimal, as the cases write it: ``0.000004``, ``-9.01``."""
    whole, rest = divmod(abs(quantity.nano), NANO)
    sign = "-" if quantity.nano < 0 else ""
    return f"{sign}{whole}.{rest:09d}".rstrip("0").rstrip(".") if rest else f"{sign}{whole}"
