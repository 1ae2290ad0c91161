"""Reads a behaviour block from a decoded JSON document, naming the field wherever something is wrong."""

import re
from collections.abc import Callable
from typing import Any

from simulator.engine.runtime.declared import (
    BadBehaviour,
    Block,
    DeclaredLine,
    DeclaredStep,
    Exit,
    Listen,
    Steps,
    parse_duration_ms,
    parse_size_bytes,
)

ENTRIES_MAX = 500
_GRPC = {"SERVING": 1, "NOT_SERVING": 0}


def _camel(name: str) -> str:
    return re.sub(r"-([a-z])", lambda match: match.group(1).upper(), name)


def _fields(value: Any, path: str, known: tuple[str, ...]) -> dict[str, Any]:
    """A mapping with known field names only, these in camelCase."""
    if not isinstance(value, dict):
        raise BadBehaviour(path, "must be a mapping")
    result = {}
    for name, content in value.items():
        if _camel(name) not in known:
            raise BadBehaviour(f"{path}.{name}" if path else name, f"unknown field; known are {', '.join(known)}")
        result[_camel(name)] = content
    return result


def _list(value: Any, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadBehaviour(path, "must be a list")
    if len(value) > ENTRIES_MAX:
        raise BadBehaviour(path, f"must have at most {ENTRIES_MAX} entries")
    return value


def _whole(value: Any, path: str, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BadBehaviour(path, f"must be a whole number from {low} to {high}")
    return value


def _text(value: Any, path: str) -> str:
    if not isinstance(value, str):
        raise BadBehaviour(path, "must be a text")
    return value


def _http_status(value: Any, path: str) -> int:
    return _whole(value, path, 100, 599)


def _exit_status(value: Any, path: str) -> int:
    return _whole(value, path, 0, 255)


def _grpc_status(value: Any, path: str) -> int:
    if value not in _GRPC:
        raise BadBehaviour(path, "must be SERVING or NOT_SERVING")
    return _GRPC[value]


def _steps(value: Any, path: str, status: Callable[[Any, str], int]) -> Steps:
    """A status, or a list of steps in time."""
    if not isinstance(value, list):
        return (DeclaredStep(0, status(value, path)),)
    steps = []
    for index, item in enumerate(_list(value, path)):
        here = f"{path}[{index}]"
        fields = _fields(item, here, ("from", "status", "body", "output", "location", "delay"))
        if "status" not in fields:
            raise BadBehaviour(f"{here}.status", "is required")
        steps.append(
            DeclaredStep(
                parse_duration_ms(fields.get("from", 0), f"{here}.from"),
                status(fields["status"], f"{here}.status"),
                _text(fields.get("body", fields.get("output", "")), f"{here}.body"),
                _text(fields.get("location", ""), f"{here}.location"),
                parse_duration_ms(fields.get("delay", 0), f"{here}.delay"),
            )
        )
    return tuple(sorted(steps, key=lambda step: step.from_ms))


def _table(value: Any, path: str, status: Callable[[Any, str], int]) -> tuple[tuple[str, Steps], ...]:
    if not isinstance(value, dict):
        raise BadBehaviour(path, "must be a mapping")
    return tuple((str(key), _steps(item, f"{path}[{key}]", status)) for key, item in value.items())


def _listen(value: Any, path: str) -> Listen:
    if isinstance(value, int):
        return Listen(_whole(value, path, 1, 65535), otherwise=(DeclaredStep(0, 200),))
    fields = _fields(value, path, ("port", "paths", "otherwise", "delay", "grpc"))
    paths = _table(fields.get("paths", {}), f"{path}.paths", _http_status)
    otherwise = fields.get("otherwise", 404 if paths else 200)
    return Listen(
        _whole(fields.get("port"), f"{path}.port", 1, 65535),
        paths,
        _steps(otherwise, f"{path}.otherwise", _http_status),
        parse_duration_ms(fields.get("delay", 0), f"{path}.delay"),
        _table(fields["grpc"], f"{path}.grpc", _grpc_status) if "grpc" in fields else None,
    )


def _exit(value: Any, path: str) -> Exit:
    if value is None or value == "never":
        return Exit(never=True)
    fields = _fields(value, path, ("after", "code"))
    return Exit(parse_duration_ms(fields.get("after", 0), f"{path}.after"), _exit_status(fields.get("code", 0), f"{path}.code"))


def _exits(value: Any, path: str) -> tuple[Exit, ...]:
    if isinstance(value, list):
        return tuple(_exit(item, f"{path}[{index}]") for index, item in enumerate(_list(value, path)))
    return (_exit(value, path),)


def _term(value: Any, path: str) -> tuple[str, int, int]:
    if value in ("ignore", "exit"):
        return value, 0, 0
    if not isinstance(value, dict):
        raise BadBehaviour(path, "must be ignore, exit or {exit: code, after: duration}")
    fields = _fields(value, path, ("exit", "after"))
    code = _exit_status(fields.get("exit", 0), f"{path}.exit")
    return "exit", code, parse_duration_ms(fields.get("after", 0), f"{path}.after")


def _memory(value: Any, path: str) -> tuple[tuple[int, int], ...]:
    if not isinstance(value, list):
        return ((0, parse_size_bytes(value, path)),)
    points = []
    for index, item in enumerate(_list(value, path)):
        here = f"{path}[{index}]"
        fields = _fields(item, here, ("at", "bytes"))
        at = parse_duration_ms(fields.get("at", 0), f"{here}.at")
        points.append((at, parse_size_bytes(fields.get("bytes"), f"{here}.bytes")))
    for index in range(1, len(points)):
        if points[index][0] <= points[index - 1][0]:
            raise BadBehaviour(f"{path}[{index}].at", "must be later than the point before")
    return tuple(points)


def _log(value: Any, path: str) -> tuple[DeclaredLine, ...]:
    lines = []
    for index, item in enumerate(_list(value, path)):
        here = f"{path}[{index}]"
        fields = _fields(item, here, ("at", "text", "stream"))
        stream = fields.get("stream", "stdout")
        if stream not in ("stdout", "stderr"):
            raise BadBehaviour(f"{here}.stream", "must be stdout or stderr")
        at = parse_duration_ms(fields.get("at", 0), f"{here}.at")
        lines.append(DeclaredLine(at, _text(fields.get("text", ""), f"{here}.text"), stream))
    return tuple(lines)


def read_block(document: Any) -> Block:
    """The block in a decoded document. Raises BadBehaviour with the field path."""
    known = ("program", "startupDelay", "exit", "listens", "onTerm", "memory", "log", "exec")
    fields = _fields(document, "", known)
    program = fields.get("program", "replace")
    if program not in ("replace", "keep"):
        raise BadBehaviour("program", "must be replace or keep")
    term, term_code, term_after_ms = _term(fields.get("onTerm", "exit"), "onTerm")
    return Block(
        keep=program == "keep",
        startup_ms=parse_duration_ms(fields.get("startupDelay", 0), "startupDelay"),
        exits=_exits(fields["exit"], "exit") if "exit" in fields else (),
        listens=tuple(_listen(item, f"listens[{i}]") for i, item in enumerate(_list(fields.get("listens", []), "listens"))),
        term=term,
        term_code=term_code,
        term_after_ms=term_after_ms,
        memory=_memory(fields["memory"], "memory") if "memory" in fields else (),
        log=_log(fields.get("log", []), "log"),
        exec=_table(fields.get("exec", {}), "exec", _exit_status),
    )
