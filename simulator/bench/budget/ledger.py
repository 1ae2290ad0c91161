"""The call budget: the agreed figures, as TOML, and which functions are called more or less often in a run that left its budget."""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

CANONICAL = Path(__file__).with_name("canonical.py")
TREE = Path(__file__).parents[3]
TOLERANCE_PERCENT = 3
"""Calls do not vary by themselves; a change may cost this much without explanation."""
LISTED = 40
"""For each run, the calls of this many functions are recorded, the most called ones."""
TOLD = 10
"""A complaint about a run names this many functions, those with the largest differences."""
_HEAD = "# Calls of the canonical runs (docs/development.md, The call budget). A commit that raises one says why in its reason.\n"


class Agreed(Struct, frozen=True, kw_only=True):
    """The agreed figures of one run: records, calls of the project's functions, the reason for them, and the calls of the most called
    functions."""

    records: int
    calls: int
    reason: str
    functions: dict[str, int]


def play_in(tree: Path, how: str, scale: str, names: Sequence[str] = ()) -> dict[str, Any]:
    """The output of ``canonical.py`` for a tree, run in a process of its own; ``how`` is ``calls`` or ``cpu``."""
    command = [sys.executable, "-P", str(CANONICAL), how, scale, *names]
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(tree)}
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{tree}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def counted_now(run: Mapping[str, Any], before: Agreed | None) -> Agreed:
    """The current figures, with the reason from before."""
    functions: dict[str, int] = run["functions"]
    most = sorted(functions.items(), key=lambda item: (-item[1], item[0]))[:LISTED]
    reason = before.reason if before else "as the budget began"
    return Agreed(records=run["records"], calls=sum(functions.values()), reason=reason, functions=dict(most))


def read(path: Path) -> dict[str, Agreed]:
    """The agreed runs by name; empty if there is no file."""
    return {name: Agreed(**fields) for name, fields in tomllib.loads(path.read_text()).items()} if path.exists() else {}


def written(runs: Mapping[str, Agreed]) -> str:
    """The text of the file."""
    lines = [_HEAD]
    for name, run in runs.items():
        lines += [f"\n[{name}]\n", f"records = {run.records}\n", f"calls = {run.calls}\n", f"reason = {json.dumps(run.reason)}\n"]
        lines += [f"\n[{name}.functions]\n", *(f"{json.dumps(function)} = {calls}\n" for function, calls in run.functions.items())]
    return "".join(lines)


def is_within(now: int, agreed: int) -> bool:
    """Whether a figure is at most TOLERANCE_PERCENT above or below the agreed one."""
    return abs(now - agreed) * 100 <= agreed * TOLERANCE_PERCENT


def changes(run: Mapping[str, Any], agreed: Agreed) -> list[str]:
    """Lines about the functions that are called more or less often than agreed, the largest difference first.

    Only the most called functions are recorded. Any other may have been called as often as the last of these, so it counts as grown only by
    the excess over that.
    """
    functions: dict[str, int] = run["functions"]
    unlisted_max = min(agreed.functions.values(), default=0) if len(agreed.functions) == LISTED else 0
    by = {name: calls - agreed.functions.get(name, unlisted_max) for name, calls in functions.items()}
    by |= {name: -calls for name, calls in agreed.functions.items() if name not in functions}
    differ = [(name, more) for name, more in by.items() if more > 0 or (more < 0 and name in agreed.functions)]
    differ.sort(key=lambda item: (-abs(item[1]), item[0]))
    return [f"  {more:+,} to {functions.get(name, 0):,}  {name}" for name, more in differ[:TOLD]]


def complaints(runs: Mapping[str, Any], agreed: Mapping[str, Agreed]) -> list[str]:
    """Lines about every run that left its budget, in either direction; empty if all stay within."""
    lines: list[str] = []
    for name, run in runs.items():
        calls, expected = sum(run["functions"].values()), agreed.get(name)
        if expected is None:
            lines.append(f"{name}: no figure is agreed on")
        elif not is_within(calls, expected.calls) or not is_within(run["records"], expected.records):
            lines.append(f"{name}: {calls:,} calls and {run['records']:,} records, agreed {expected.calls:,} and {expected.records:,}")
            lines += changes(run, expected)
    return lines
