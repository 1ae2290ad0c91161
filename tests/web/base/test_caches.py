"""What pages cache in memory: one list, a limit for each, and least recently used entries go first."""

import re
from functools import partial
from pathlib import Path

import pytest

from simulator.web.base import caches
from simulator.web.base.caches import Kept

ROOT = Path(__file__).parents[3] / "simulator"


def test_value_is_made_once_and_the_one_not_asked_for_longest_goes():
    made, kept = [], Kept(2)
    for key in "abacab":
        kept.of(key, partial(made.append, key))
    assert (made, len(kept)) == (["a", "b", "c", "b"], 2)


def test_failure_is_not_kept():
    kept = Kept(2)
    with pytest.raises(ZeroDivisionError):
        kept.of("a", lambda: 1 // 0)
    assert kept.of("a", lambda: 1) == 1


def test_every_cache_has_its_bound_and_a_reason():
    source = Path(caches.__file__).read_text(encoding="utf-8")
    told = re.findall(r'^([A-Z_]+): Kept\[.*\] = Kept\((\d+)\)\n"""', source, re.MULTILINE)
    assert {name: int(most) for name, most in told} == {name: kept.most for name, kept in caches.ALL.items()} != {}


def test_every_cache_is_used():
    source = "".join(path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py"))
    assert [name for name in caches.ALL if f"{name}.of(" not in source] == []


def test_no_page_keeps_anything_beside_them():
    files = [path for folder in ("web", "templatetags") for path in (ROOT / folder).rglob("*.py")]
    assert [path.name for path in files if "lru_cache" in path.read_text(encoding="utf-8")] == []
