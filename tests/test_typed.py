import ast
import gc
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from simulator.engine.kernel.typed import Typed
from simulator.runs.log.content import CONTENT, encode_content
from tests.factories import make_content

ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / "simulator" / "engine" / "kernel" / "typed.py"
SOURCES = [path for folder in ("simulator", "lifecycle_site") for path in sorted((ROOT / folder).rglob("*.py")) if path != HOME]
MAKERS = {"Typed", "Decoder", "Encoder"}
READERS = {"decode", "convert"}
FIRST_ACT = """
import sys, threading
from simulator.runs.log.content import decode_content
text, threads = sys.stdin.read(), 16
together = threading.Barrier(threads)
def read():
    together.wait()
    decode_content(text)
everybody = [threading.Thread(target=read) for _ in range(threads)]
sys.setswitchinterval(1e-6)
for one in everybody: one.start()
for one in everybody: one.join()
"""
STARTS = 4


def msgspec_names(tree: ast.Module) -> set[str]:
    """The module's names for msgspec, its submodules, and what it imported from them."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.asname or alias.name for alias in node.names if alias.name.split(".")[0] == "msgspec"}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "msgspec":
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def first_name(node: ast.expr) -> str:
    """``msgspec.json.decode`` → ``msgspec``."""
    return ast.unparse(node).split(".")[0]


def last_name(node: ast.expr) -> str:
    """``msgspec.json.decode`` → ``decode``."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def inside_functions(tree: ast.Module) -> set[ast.AST]:
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)]
    return {inner for function in functions for inner in ast.walk(function)}


def late_types(source: str) -> list[int]:
    """The lines that pass a type to msgspec other than through a module-level Typed, Decoder or Encoder."""
    tree = ast.parse(source)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and last_name(node.func) in READERS | MAKERS]
    if not calls:
        return []
    ours, late = msgspec_names(tree), inside_functions(tree)
    lines = []
    for node in calls:
        first, last = first_name(node.func), last_name(node.func)
        is_reading = first in ours and last in READERS and (len(node.args) > 1 or any(word.arg == "type" for word in node.keywords))
        is_making = (first in ours or last == "Typed") and last in MAKERS and node in late
        if is_reading or is_making:
            lines.append(node.lineno)
    return lines


@pytest.mark.parametrize(
    "line",
    [
        "import msgspec\ndef f(x): return msgspec.json.decode(x, type=int)",
        "import msgspec\ndef f(x): return msgspec.convert(x, int)",
        "from msgspec import json\ndef f(x): return json.decode(x, type=int)",
        "from msgspec.msgpack import decode as read, decode\ndef f(x): return decode(x, type=int)",
        "from msgspec.json import Decoder\ndef f(x): return Decoder(int).decode(x)",
        "from simulator.engine.kernel.typed import Typed\ndef f(x): return Typed(int).from_json(x)",
    ],
)
def test_type_that_is_named_when_it_is_needed_is_found(line):
    assert late_types(line) == [2]


@pytest.mark.parametrize(
    "line",
    [
        "import msgspec\nREAD = msgspec.json.Decoder(int).decode\ndef f(x): return READ(x)",
        "import msgspec\ndef f(x): return msgspec.json.decode(x)",
        "def f(x): return x.decode('utf-8', 'replace')",
    ],
)
def test_type_that_is_named_at_import_is_let_through(line):
    assert late_types(line) == []


def test_no_code_names_a_type_to_msgspec_when_it_is_needed():
    assert [f"{path.relative_to(ROOT)}:{line}" for path in SOURCES for line in late_types(path.read_text(encoding="utf-8"))] == []


def test_everything_below_a_type_is_learned_when_it_is_made():
    class Leaf(msgspec.Struct):
        number: int

    class Branch(msgspec.Struct, tag="branch"):
        leaves: dict[str, tuple[Leaf, ...]]

    class Trunk(msgspec.Struct, tag="trunk"):
        pass

    def is_learned(kind):
        return any(type(part).__name__ == "StructInfo" for part in gc.get_referents(kind))

    before = is_learned(Leaf)
    Typed(list[Branch | Trunk])
    assert (before, is_learned(Leaf), is_learned(Branch), is_learned(Trunk)) == (False, True, True, True)


def test_value_is_read_as_before():
    content = make_content()
    assert CONTENT.from_json(encode_content(content)) == content == CONTENT.from_plain(msgspec.to_builtins(content))


def test_threads_that_read_as_their_first_act_do_not_crash_the_process():
    text = encode_content(make_content()).encode()
    command = [sys.executable, "-c", FIRST_ACT]
    processes = [subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(STARTS)]
    errors = [process.communicate(text, timeout=60)[1] for process in processes]
    assert [(process.returncode, error) for process, error in zip(processes, errors, strict=True) if process.returncode] == []
