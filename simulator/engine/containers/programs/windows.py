"""Programs of Windows images: cmd, PowerShell and the small ones that the documentation's examples call."""

from collections.abc import Callable, Mapping

from simulator.engine.containers.digits import whole
from simulator.engine.containers.kernel.execute import Call, ProgramStart, hold_unknown, new_shell, start_text
from simulator.engine.containers.process.state import Holder, Later
from simulator.engine.containers.programs.windows_scripts import from_cmd, from_powershell
from simulator.engine.containers.unsupported import Unsupported

SHELLS = ("cmd", "powershell")
"""Flavours of the shells that run translated scripts."""
PINGS = 4
"""How many packets ping sends by default."""
PINGS_SHOWN = 100
_BARE_FLAGS = ("-noprofile", "-nop", "-nologo", "-noninteractive", "-noni", "-sta", "-mta")
_VALUED_FLAGS = ("-executionpolicy", "-ep", "-ex", "-windowstyle", "-w", "-version")


def cmd(call: Call) -> "int | ProgramStart":
    """``cmd /c command``; without a command there is no input to read, so it ends at once."""
    words = list(call.argv[1:])
    while words and words[0].lower() in ("/s", "/q", "/d", "/v:on", "/e:on"):
        words.pop(0)
    if not words or words[0].lower() not in ("/c", "/r", "/k"):
        return 0 if not words else _not_understood(call)
    text = " ".join(words[1:]).strip()
    inner = text[1:-1] if text.startswith('"') and text.endswith('"') and text.count('"') == 2 else text
    return _run(call, SHELLS[0], inner, from_cmd)


def powershell(call: Call) -> "int | ProgramStart":
    """``powershell [-Command] script``; files and encoded commands are not understood."""
    words = list(call.argv[1:])
    while words:
        flag = words[0].lower().replace("/", "-", 1)
        if flag in _BARE_FLAGS:
            words.pop(0)
        elif flag in _VALUED_FLAGS:
            del words[:2]
        else:
            break
    if words and words[0].lower().replace("/", "-", 1) in ("-command", "-c"):
        words.pop(0)
    elif words and words[0].startswith(("-", "/")):
        return _not_understood(call)
    return _run(call, SHELLS[1], " ".join(words), from_powershell) if words else 0


def _not_understood(call: Call) -> "int | ProgramStart":
    return hold_unknown(call.kernel, f"{' '.join(call.argv)[:120]} cannot be worked out", is_asked=call.is_asked)


def _run(call: Call, flavour: str, text: str, translated: Callable[[str, Mapping[str, str]], str]) -> "int | ProgramStart":
    call.charge(len(text))
    try:
        script = translated(text, call.env)
    except Unsupported as problem:
        return hold_unknown(call.kernel, str(problem), is_asked=call.is_asked)
    return start_text(call.kernel, new_shell(flavour, call.argv[0], call.env), script, is_asked=call.is_asked)


def ping(call: Call) -> "int | ProgramStart":
    """``ping [-t] [-n count] host``: one per second; with ``-t`` until it is stopped."""
    words, count, endless, name = list(call.argv[1:]), PINGS, False, ""
    while words:
        word = words.pop(0)
        if word.lower() in ("-t", "/t"):
            endless = True
        elif word.lower() in ("-n", "/n", "-w", "/w", "-l", "/l", "-i", "/i"):
            count = whole(words.pop(0) if words else "", PINGS) if word.lower()[1] == "n" else count
        else:
            name = word
    address = "127.0.0.1" if name.lower() == "localhost" else call.kernel.host.lookup.resolve(name) if name else None
    if address is None:
        call.out(f"Ping request could not find host {name}. Please check the name and try again.\n")
        return 1
    if endless:
        return ProgramStart(Holder())
    lines = [f"\nPinging {name} [{address}] with 32 bytes of data:" if name != address else f"\nPinging {name} with 32 bytes of data:"]
    lines += [f"Reply from {address}: bytes=32 time<1ms TTL=128"] * min(count, PINGS_SHOWN)
    return ProgramStart(Later(stdout="\n".join(lines) + "\n"), "timer", call.kernel.now_ms + max(count - 1, 0) * 1000)


def hostname(call: Call) -> int:
    """``hostname``."""
    call.out(f"{call.kernel.launch.naming.hostname}\n")
    return 0


def whoami(call: Call) -> int:
    """``whoami``: the domain of a container's own users, or that of the account it was told to run as."""
    domain, backslash, user = call.env.get("USERNAME", "ContainerAdministrator").rpartition("\\")
    call.out(f"{domain if backslash else 'user manager'}\\{user}\n".lower())
    return 0


def http_listener(call: Call) -> ProgramStart:
    """.NET's HttpListener in a script: it answers on its ports until it is stopped."""
    return ProgramStart(Holder(tuple(whole(word) for word in call.argv[1:]), "ok", memory_bytes=40 << 20))
