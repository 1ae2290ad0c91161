"""Family ``quantity``."""

from typing import Any

from simulator.engine.api.quantity import BadQuantity, canonical, cmp, decimal_text, parse, round_up

Json = dict[str, Any]


def evaluate(case: Json) -> Json:
    """Parse, compare or round."""
    if case["op"] == "cmp":
        return {"result": cmp(parse(case["a"]), parse(case["b"]))}
    if case["op"] == "roundUp":
        rounded, exact = round_up(parse(case["text"]), case["scale"])
        return {"value": decimal_text(rounded), "exact": exact}
    try:
        quantity = parse(case["text"])
    except BadQuantity:
        return {"valid": False}
    return {"valid": True, "value": decimal_text(quantity), "format": quantity.format, "canonical": canonical(quantity)}
