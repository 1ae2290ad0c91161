"""The layers of the scripts (``static/bundle-src/layers.mjs``): they hold, and violations are found."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.site.test_scripts import NODE, ROOT


def faults(static: Path) -> list[str]:
    command = [NODE, str(ROOT / "static" / "bundle-src" / "layers.mjs"), str(static)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert bool(done.returncode) == bool(done.stderr), done.stderr
    return done.stderr.splitlines()[:-1]


def test_scripts_keep_to_the_floor_plan() -> None:
    assert faults(ROOT / "static") == []


@pytest.mark.parametrize(
    ("module", "line", "fault"),
    [
        ("lanes/spans.js", 'import "../timeline/words.js";', "lanes/spans.js imports timeline/words.js, which stands above it"),
        (
            "base/toast.js",
            '/** @typedef {import("../wire/record.js").Rec} R */',
            "base/toast.js imports wire/record.js, which stands above it",
        ),
        ("search/query.js", 'import "../gestures/holds.js";', "search/query.js imports gestures/holds.js, which stands beside it"),
        ("wire/record.js", 'import "../main.js";', "wire/record.js imports main.js, which stands above it"),
        ("run/actions.js", 'import("../search/box.js");', "run/actions.js loads search/box.js later, which is no entry (entries.json)"),
        ("loose.js", "", "loose.js stands in no folder of the plan"),
    ],
)
def test_import_against_the_floor_plan_is_found(tmp_path: Path, module: str, line: str, fault: str) -> None:
    assert faults(_with(tmp_path, module, line)) == [fault]


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("lanes/spans.js", 'import "./lane-set.js";'),
        ("lanes/spans.js", '/** @typedef {import("./lane-set.js").LaneSet} Lanes */'),
        ("timeline/marks.js", 'import("../later.js");'),
    ],
)
def test_circle_of_imports_is_found(tmp_path: Path, module: str, line: str) -> None:
    """A type named in a comment counts, because the site reads it as an import when it names files by their digests."""
    (found,) = faults(_with(tmp_path, module, line))
    way = found.removeprefix("circle: ").split(" → ")
    assert len(way) > 2 and way[0] == way[-1] and module in way


def _with(folder: Path, module: str, line: str) -> Path:
    """A copy of the scripts, one of which has an additional line."""
    shutil.copytree(ROOT / "static" / "js", folder / "js")
    with (folder / "js" / module).open("a") as file:
        file.write(f"{line}\n")
    return folder
