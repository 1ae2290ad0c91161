"""JSON values as Go prints them: ``fmt.Sprint`` (``map[a:1]``), ``%#v``, and the names of their types."""

import json
from typing import Any


def go_sprint(value: Any) -> str:
    """The value as ``fmt.Sprint`` prints it."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return go_float(value)
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{go_sprint(value[key])}' for key in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(go_sprint(item) for item in value)}]"
    return str(value)


def go_float(value: float) -> str:
    """A float as ``%v`` prints it: the shortest digits, with an exponent of at least two digits from 1e21 on."""
    mantissa, exponent, power = repr(value).partition("e")
    if not exponent:
        return mantissa.removesuffix(".0")
    if 1e-4 <= abs(value) < 1e21:
        return f"{value:.0f}"
    sign = power[0] if power[0] in "+-" else "+"
    return f"{mantissa.removesuffix('.0')}e{sign}{power.lstrip('+-').zfill(2)}"


def go_syntax(value: Any) -> str:
    """The value as ``%#v`` prints it."""
    if value is None:
        return "interface {}(nil)"
    if isinstance(value, dict):
        inside = ", ".join(f"{quoted(key)}:{go_syntax(value[key])}" for key in sorted(value))
        return f"map[string]interface {{}}{{{inside}}}"
    if isinstance(value, list):
        return f"[]interface {{}}{{{', '.join(go_syntax(item) for item in value)}}}"
    return quoted(value) if isinstance(value, str) else go_sprint(value)


def quoted(text: str) -> str:
    """A text as ``%q`` prints it; letters of other scripts are kept."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\x7f")


def type_name(value: Any) -> str:
    """The name of the Go type of a JSON value."""
    if isinstance(value, bool):
        return "bool"
    names = {dict: "map[string]interface {}", list: "[]interface {}", str: "string", int: "int64", float: "float64"}
    return names.get(type(value), "<nil>")
