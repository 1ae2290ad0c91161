"""An interactive shell: it reads its commands from the input of an exec session, one after the other.

At a terminal it prompts for each, and continues after what it cannot understand; from a pipe it reads them as a script, silently.
"""

import re

from msgspec.structs import replace

from simulator.engine.containers.effort import COPIED
from simulator.engine.containers.kernel.execute import NOT_UNDERSTOOD
from simulator.engine.containers.kernel.kernel import Kernel
from simulator.engine.containers.process.frames import NULL, ReadScript, RunNode
from simulator.engine.containers.process.state import Shell, Task
from simulator.engine.containers.signals import INT
from simulator.engine.containers.syntax.lexer import ScriptError
from simulator.engine.containers.syntax.parser import parse_script
from simulator.engine.containers.unsupported import Unsupported

_OPEN = ("end of file", "unterminated", "EOF in")
"""The parser's message for a text that may continue on the next line."""
_HERE = re.compile(r"(?<!<)<<-?[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|([\w.]+))")
_ESCAPE = re.compile(r"\\([wWuhH$])")
_PROMPTS = {"ash": r"\w \$ ", "dash": r"\$ ", "bash": r"\u@\h:\w\$ "}


def read_script(kernel: Kernel, task: Task, shell: Shell, frame: ReadScript) -> None:
    """Take the next command of the input; wait for it, prompting at a terminal, or end with the input."""
    waiting = kernel.pipes.get(frame.pipe, "")
    end = waiting.find("\n")
    is_over = end < 0 and not kernel.has_writer(frame.pipe)
    if end < 0 and not is_over:
        if frame.prompts and not frame.is_asked:
            kernel.write(task.fds.get(2, NULL), "> " if frame.held else prompt_of(kernel, task, shell))
        shell.stack.append(replace(frame, is_asked=True))
        task.block, task.on = "line", (frame.pipe,)
        return
    if is_over and not waiting and not frame.held:
        return  # nothing is left to do: the shell ends
    kernel.meter.charge(len(waiting) // COPIED)
    kernel.pipes[frame.pipe] = "" if is_over else waiting[end + 1 :]
    line = waiting if is_over else waiting[:end]
    _carry_out(kernel, task, shell, replace(frame, held="", is_asked=False), frame.held + line, is_over)


def _carry_out(kernel: Kernel, task: Task, shell: Shell, frame: ReadScript, text: str, is_over: bool) -> None:
    if not is_over and (text.endswith("\\") or _wants_text(text)):
        shell.stack.append(replace(frame, held=text[:-1] if text.endswith("\\") else text + "\n"))
        return
    try:
        node = parse_script(text, kernel.meter)
    except ScriptError as problem:
        if not is_over and any(word in str(problem) for word in _OPEN):
            shell.stack.append(replace(frame, held=text + "\n"))
            return
        kernel.write(task.fds.get(2, NULL), f"{shell.name}: {problem}\n")
        shell.status = 2
        if frame.prompts:
            shell.stack.append(frame)
        return
    except Unsupported as problem:
        kernel.note(NOT_UNDERSTOOD, f"{problem}; it is taken to succeed.")
        shell.status = 0
        shell.stack.append(frame)
        return
    shell.stack += (frame, RunNode(node))


def _wants_text(text: str) -> bool:
    """Whether a here-document is still open."""
    lines = text.split("\n")
    if "((" in text:  # arithmetic shifts bits with the same operator
        return False
    for found in _HERE.finditer(text):
        word = next(name for name in found.groups() if name)
        if word not in (line.strip() for line in lines[1:]):
            return True
    return False


def back_to_prompt(shell: Shell) -> bool:
    """Drop what a shell at a terminal is doing, so that it prompts for the next command; False for any other shell."""
    for place, frame in enumerate(shell.stack):
        if isinstance(frame, ReadScript):
            if frame.prompts:
                del shell.stack[place + 1 :]
            return frame.prompts
    return False


def prompt_of(kernel: Kernel, task: Task, shell: Shell) -> str:
    """``/ # ``: the shell's prompt, from PS1 or its default."""
    own = shell.variables.get("PS1")
    home = shell.variables.get("HOME")
    where = task.cwd
    if isinstance(home, str) and home != "/" and (where == home or where.startswith(f"{home}/")):
        where = f"~{where[len(home) :]}"
    is_root = not kernel.launch.uid
    host = kernel.launch.naming.hostname
    values = {
        "w": where, "W": where.rpartition("/")[2] or where, "u": "root" if is_root else "I have no name!", "h": host, "H": host,
        "$": "#" if is_root else "$",
    }  # fmt: skip
    text = own if isinstance(own, str) else _PROMPTS.get(shell.flavour, r"\$ ")
    return _ESCAPE.sub(lambda found: values[found[1]], text)


def interrupt(kernel: Kernel, session: int, pipe: int) -> None:
    """The key ^C: INT for everything at a terminal except a prompting shell, which drops what it is doing and what was typed ahead."""
    for task in list(kernel.tasks.values()):
        if task.session != session or not task.argv or task.code is not None:
            continue
        body = task.body
        if isinstance(body, Shell) and back_to_prompt(body):
            kernel.pipes[pipe], body.status, body.done = "", 128 + INT, {}
            asking = body.stack[-1]
            assert isinstance(asking, ReadScript), "a shell that is back at its prompt asks"
            body.stack[-1] = replace(asking, held="", is_asked=False)
            task.block, task.until_ms, task.on = "", 0, ()
            kernel.write(task.fds[2], "\n")
        else:
            kernel.deliver(task, INT)
