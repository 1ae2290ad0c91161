"""Default versions: they are in one list, and so are the existing versions."""

import re
from pathlib import Path

import pytest

from simulator.engine.versions import MINORS
from simulator.engine.versions.patches import PATCHES
from simulator.engine.versions.usual import COMPARED, ERAS, JUDGED, OFFERED, TYPED

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"""^\w+(?:: str)? = \(?["']1\.\d\d["']""", re.MULTILINE)
RECORDED = ("fidelity/answers/", "bench/")
"""What was recorded or is measured with a version of its own."""


def test_minors_are_those_of_the_table_of_patches() -> None:
    assert list(MINORS) == sorted(PATCHES.last, key=lambda minor: int(minor[2:]))


@pytest.mark.parametrize("version", [OFFERED, TYPED, JUDGED, *COMPARED, *ERAS])
def test_usual_version_is_one_that_can_be_simulated(version: str) -> None:
    assert version in MINORS


def test_no_other_module_names_a_version_to_take_where_none_is_named() -> None:
    own = ROOT / "simulator" / "engine" / "versions" / "usual.py"
    files = [path for path in (ROOT / "simulator").rglob("*.py") if path != own]
    told = [path.relative_to(ROOT / "simulator").as_posix() for path in files if NAMED.search(path.read_text(encoding="utf-8"))]
    assert [name for name in told if not name.startswith(RECORDED)] == []


def test_no_template_names_a_version_in_an_address() -> None:
    templates = (ROOT / "templates").rglob("*.html")
    assert [path.name for path in templates if re.search(r"[?&]versions?=1\.", path.read_text(encoding="utf-8"))] == []
