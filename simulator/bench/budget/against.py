"""The canonical runs of this tree and of another commit, side by side: ratios of calls, records and CPU time."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from simulator.bench.budget.canonical import RUNS
from simulator.bench.budget.ledger import TREE, play_in

ROUNDS = 4
"""How many times each tree plays a run: the fastest counts. The trees take turns at going first."""


class NoSuchCommit(Exception):
    """Git cannot check out the commit; the message is git's."""


@contextmanager
def checked_out(commit: str) -> Iterator[Path]:
    """A worktree of the commit, removed afterwards. Raises NoSuchCommit."""
    with tempfile.TemporaryDirectory(prefix="podscope-against-") as folder:
        tree = Path(folder).resolve() / "tree"
        done = subprocess.run(["git", "-C", TREE, "worktree", "add", "--detach", tree, commit], capture_output=True, text=True, check=False)
        if done.returncode:
            raise NoSuchCommit(done.stderr.strip())
        try:
            yield tree
        finally:
            subprocess.run(["git", "-C", TREE, "worktree", "remove", "--force", tree], capture_output=True, check=True)


def report(commit: str, *, scale: str = "full") -> Iterator[str]:
    """A line for each run. Raises NoSuchCommit."""
    with checked_out(commit) as old:
        for name in RUNS:
            yield f"against   {name:10} {_compared(name, old, scale)}"


def _compared(name: str, old: Path, scale: str) -> str:
    """Both trees' calls and seconds of one run; each goes first in every other round."""
    calls = {tree: play_in(tree, "calls", scale, [name])[name] for tree in (TREE, old)}
    if isinstance(calls[old], str):
        return f"{_sum(calls[TREE]):,} calls, {calls[TREE]['records']:,} records; the other has {calls[old]}"
    seconds: dict[Path, list[float]] = {TREE: [], old: []}
    for number in range(ROUNDS):
        for tree in (TREE, old) if number % 2 else (old, TREE):
            seconds[tree].append(play_in(tree, "cpu", scale, [name])[name]["seconds"])
    ours_s, theirs_s = min(seconds[TREE]), min(seconds[old])
    ours, theirs = _sum(calls[TREE]), _sum(calls[old])
    return (
        f"CPU {ours_s / theirs_s:.2f} × ({ours_s:.3f} s, {theirs_s:.3f} s), calls {ours / theirs:.2f} × ({ours:,}, {theirs:,}), "
        f"records {calls[TREE]['records']:,}, {calls[old]['records']:,}"
    )


def _sum(run: dict[str, Any]) -> int:
    return sum(run["functions"].values())
