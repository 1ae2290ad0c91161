"""Command lines of cmd and PowerShell, translated into the language of the shell that is interpreted here.

Only what the documentation's examples need: sequences of commands, waiting, printing, exiting, endless loops, an HttpListener.
Anything else raises ``Unsupported``, so that the reader is told; nothing is guessed.
"""

import re
import shlex
from collections.abc import Iterator, Mapping

from simulator.engine.containers.unsupported import Unsupported

NATIVE = ("ping", "hostname", "whoami", "cmd", "powershell", "pwsh")
"""Programs that a command line may call."""
_CMD_SPECIAL = re.compile(r"[|<>^()]")
_CMD_PARTS = re.compile(r'"[^"]*"|&&|\|\||&|[^"&|]+|["|]')
_CMD_VARIABLE = re.compile(r"%(\w+)%")
_WORDS = re.compile(r'"([^"]*)"|(\S+)')
_NUMBER = r"([0-9]{1,9}(?:\.[0-9]{1,3})?)"
_SLEEP = re.compile(rf"(?:start-sleep|sleep)(?:\s+-(?:s|sec|seconds?))?\s+{_NUMBER}", re.I)
_SLEEP_MS = re.compile(r"start-sleep\s+-m(?:illiseconds?)?\s+([0-9]{1,9})", re.I)
_WRITE = re.compile(r"(?:write-host|write-output|echo)\b\s*(.*)", re.I | re.S)
_EXIT = re.compile(r"exit(?:\s+(-?[0-9]{1,10}))?", re.I)
_LOOP = re.compile(r"(?:while\s*\(\s*(?:\$true|1)\s*\)|for\s*\(\s*;\s*;\s*\))\s*\{(.*)\}", re.I | re.S)
_VARIABLE = re.compile(r"\$\{?env:(\w+)\}?", re.I)
_PREFIX = re.compile(r"\.Prefixes\.Add\(\s*['\"]https?://[^:/'\"]+:([0-9]{1,5})/['\"]\s*\)", re.I)
_SERVES = re.compile(r"while\s*\(\s*\$\w+\.IsListening\s*\)|GetContext\(\)", re.I)
CHARS_MAX = 1 << 16
"""Longer command lines are not interpreted, even if only their variables make them longer."""
DEPTH_MAX = 20
"""Limit of nested loops."""


def _bounded(text: str) -> str:
    if len(text) > CHARS_MAX:
        raise Unsupported(f"a command line of more than {CHARS_MAX} characters is not interpreted")
    return text


def _with_values(text: str, variable: re.Pattern[str], env: Mapping[str, str], *, keeps_unknown: bool = False) -> str:
    """The text with the values of its variables, whose names are case-insensitive."""
    names = variable.findall(text)
    if not names:
        return text
    values = {name.lower(): value for name, value in env.items()}
    if len(text) + sum(len(values.get(name.lower(), "")) for name in names) > CHARS_MAX:
        raise Unsupported(f"a command line of more than {CHARS_MAX} characters is not interpreted")
    return variable.sub(lambda match: values.get(match[1].lower(), match[0] if keeps_unknown else ""), text)


def _without_comments(text: str) -> str:
    """A script without its ``<# … #>``."""
    kept, at = "", 0
    while (began := text.find("<#", at)) >= 0 and (ended := text.find("#>", began)) >= 0:
        kept, at = kept + text[at:began], ended + 2
    return kept + text[at:]


def from_cmd(text: str, env: Mapping[str, str]) -> str:
    """The shell script equivalent to ``cmd /c text``. Raises Unsupported."""
    joints = {"&&": "&&", "||": "||", "&": ";"}
    return " ".join(joints.get(part) or _cmd_command(part, env) for part in _joined(_bounded(text)))


def _joined(text: str) -> Iterator[str]:
    """Commands and the operators between them; nothing is split inside quotation marks."""
    held = ""
    for part in _CMD_PARTS.findall(text):
        if part in ("&&", "||", "&"):
            yield held
            yield part
            held = ""
        else:
            held += part
    yield held


def _cmd_command(text: str, env: Mapping[str, str]) -> str:
    plain = text.strip().lstrip("@")
    # Text in quotation marks is literal, whatever characters it has.
    if _CMD_SPECIAL.search(re.sub(r'"[^"]*"', "", plain)):
        raise Unsupported(f"cmd: {plain[:80]} is not interpreted")
    expanded = _with_values(plain, _CMD_VARIABLE, env, keeps_unknown=True)
    name, _, rest = expanded.partition(" ")
    lower = name.lower().removesuffix(".exe")
    if lower in ("echo", "echo."):
        return ":" if rest.strip().lower() in ("on", "off") and lower == "echo" else _printed(rest)
    if lower == "exit":
        return f"exit {rest.lower().replace('/b', '').strip() or 0}"
    return _native(expanded)


def _printed(text: str) -> str:
    return f"printf '%s\\n' {shlex.quote(text)}"


def _native(text: str) -> str:
    """A program with its arguments."""
    words = [quoted or bare for quoted, bare in _WORDS.findall(text)]
    if not words:
        return ":"
    base = words[0].replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    if base not in NATIVE:
        raise Unsupported(f"{words[0][:80]} is not interpreted")
    return shlex.join(words)


def from_powershell(text: str, env: Mapping[str, str]) -> str:
    """The shell script equivalent to ``powershell -Command text``. Raises Unsupported."""
    plain = _without_comments(_bounded(text))
    ports = _PREFIX.findall(plain)
    if "HttpListener" in plain and ports and (served := _SERVES.search(plain)):
        return _listening(plain[: served.start()], ports, env)
    return "\n".join(_statement(part, env) for part in _statements(plain)) or ":"


def _listening(before: str, ports: list[str], env: Mapping[str, str]) -> str:
    """A script that answers requests until it is stopped: first its output, then the server."""
    said = [match for part in _statements(before) if (match := _WRITE.fullmatch(part))]
    return "\n".join([*(_printed(_text(match[1], env)) for match in said), f"HttpListener {' '.join(ports)}"])


def _statements(text: str) -> Iterator[str]:
    """Statements of a script: split at semicolons and ends of lines, not inside quotation marks, braces or parentheses."""
    held, depth, quote = "", 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter in "({":
            depth += 1
        elif letter in ")}":
            depth -= 1
        if (letter in ";\n" and not quote and not depth) or (letter == "}" and not quote and not depth):
            yield from _stripped(held + (letter if letter == "}" else ""))
            held = ""
        else:
            held += letter
    if quote or depth:
        raise Unsupported(f"PowerShell: {text[:80]} is not interpreted")
    yield from _stripped(held)


def _stripped(text: str) -> Iterator[str]:
    plain = text.strip()
    if plain and not plain.startswith("#"):
        yield plain


def _statement(text: str, env: Mapping[str, str], depth: int = 0) -> str:
    if match := _SLEEP.fullmatch(text):
        return f"sleep {match[1]}"
    if match := _SLEEP_MS.fullmatch(text):
        return f"sleep {int(match[1]) // 1000}.{int(match[1]) % 1000:03d}"
    if match := _EXIT.fullmatch(text):
        return f"exit {match[1] or 0}"
    if match := _LOOP.fullmatch(text):
        if depth >= DEPTH_MAX:
            raise Unsupported(f"PowerShell: more than {DEPTH_MAX} loops inside each other are not interpreted")
        body = "\n".join(_statement(part, env, depth + 1) for part in _statements(match[1]))
        return f"while true\ndo\n{body or ':'}\ndone"
    if match := _WRITE.fullmatch(text):
        return _printed(_text(match[1], env))
    if text[0] in "'\"" or _VARIABLE.fullmatch(text):
        return _printed(_text(text, env))
    if re.search(r"[|<>$(){}`]", text):
        raise Unsupported(f"PowerShell: {text[:80]} is not interpreted")
    return _native(text)


def _text(argument: str, env: Mapping[str, str]) -> str:
    """The value of a Write-Host argument: a string in quotation marks, possibly in parentheses, or plain words."""
    plain = argument.strip()
    if plain.startswith("(") and plain.endswith(")"):
        plain = plain[1:-1].strip()
    if re.fullmatch(r"'[^']*'", plain):
        return plain[1:-1]
    if re.fullmatch(r'"[^"]*"', plain):
        plain = plain[1:-1]
    elif re.search(r"['\"|;()`]", plain) or re.search(r"(?:^|\s)-\w", plain):
        raise Unsupported(f"PowerShell: {argument[:80]} is not interpreted")
    if "$" in _VARIABLE.sub("", plain):
        raise Unsupported(f"PowerShell: {argument[:80]} is not interpreted")
    return _with_values(plain, _VARIABLE, env)
