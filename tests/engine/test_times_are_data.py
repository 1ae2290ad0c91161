"""Times and probabilities of Kubernetes are in the profile with their source, not as numbers in the code that uses them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ENGINE = Path(__file__).parents[2] / "simulator" / "engine"
NAME = re.compile(r"_(MS|S|PERMILLE|PERCENT)$")
UNITS = ("SECOND", "MINUTE", "HOUR")
ELSEWHERE = (
    "model", "policies", "containers", "versions", "projection", "kernel", "course/replay.py",
    "apiserver/admission", "apiserver/defaulting", "apiserver/documents", "apiserver/patch", "apiserver/validation", "apiserver/wire",
)  # fmt: skip
"""Rules of documents, programs, presentation, and checkpoints of replays: their numbers are not latencies of a component."""
OURS = {
    "_LATE_MS": "an import starts a program anew so shortly before it ends",
    "_LATENCY_MS": "how long a page of the internet takes",
}
"""Numbers that are not facts about Kubernetes, each with its purpose."""


def times_in(path: Path) -> Iterator[str]:
    """Constants of the module that are times or probabilities, and times in the middle of its code."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and _is_number(node.value):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (each.id for each in targets if isinstance(each, ast.Name) and NAME.search(each.id))
        elif isinstance(node, ast.BinOp | ast.Call) and _is_time(node):
            yield f"line {node.lineno}: {ast.unparse(node)}"


def _is_number(node: ast.expr) -> bool:
    return (isinstance(node, ast.Constant) and isinstance(node.value, int)) or _is_time(node)


def _is_time(node: ast.AST) -> bool:
    """``10 * SECOND`` or ``seconds(10)``."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "seconds" and all(isinstance(each, ast.Constant) for each in node.args)
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
        return False
    sides = (node.left, node.right)
    return any(isinstance(each, ast.Name) and each.id in UNITS for each in sides) and any(isinstance(each, ast.Constant) for each in sides)


def test_components_hold_no_times_of_their_own() -> None:
    paths = [path.relative_to(ENGINE) for path in sorted(ENGINE.rglob("*.py"))]
    found = {f"{path}: {what}" for path in paths if not path.as_posix().startswith(ELSEWHERE) for what in times_in(ENGINE / path)}
    assert {each for each in found if each.rpartition(" ")[2] not in OURS} == set()


def test_time_in_the_middle_of_the_code_is_found(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text("RETRY_MS = 5000\ndue = now + 10 * SECOND\n", encoding="utf-8")
    assert list(times_in(tmp_path / "late.py")) == ["RETRY_MS", "line 2: 10 * SECOND"]
