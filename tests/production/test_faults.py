"""A few faults of the schedule, injected into real processes; ``make faults`` injects hundreds."""

import re
from pathlib import Path

import pytest

from simulator.bench.faults.deal import deal, faults_of
from simulator.bench.faults.plant import Alone, Apart
from simulator.bench.faults.report import lines_of, total_of
from tests.needs import leaves_nothing_out, where_installed

SEED = 12


LATE = "it did not happen in|never acknowledged"
"""The message about a fault that does not settle in time. Nothing else is retried: what is lost once is lost."""


@pytest.fixture
def plant(request, prepared, tmp_path):
    """A running site of a kind."""
    with where_installed():
        made = request.param(tmp_path, static=Path(prepared.site["PODSCOPE_DATA_DIR"]) / "static")
    with made:
        yield made


APART = [pytest.mark.pg, pytest.mark.redis]
KILLS_ALONE = ["kill -9 of the process", "kill -9 of a worker process"]
KILLS_APART = ["kill -9 of the owner", "kill -9 of a web process", "kill -9 of PostgreSQL", "kill -9 of Redis"]
DEALT = [
    pytest.param(Alone, [*KILLS_ALONE, "disk full", "database locked", "chunk torn", "clock jumps"], id="alone"),
    pytest.param(Apart, KILLS_APART, id="apart", marks=APART),
    pytest.param(Apart, ["owner frozen past its lease", "PostgreSQL read-only", "Redis frozen"], id="fenced", marks=APART),
]


@pytest.mark.flaky(reruns=1, only_rerun=LATE)  # when run alongside other tests; the summary lists reruns
@pytest.mark.timeout(480)
@pytest.mark.parametrize(("plant", "names"), DEALT, indirect=["plant"])
def test_nothing_is_lost_or_doubled_whatever_fails(plant, names):
    missing = set(names) - set(faults_of(plant))  # a disk of its own requires a user who may mount one
    assert not missing or not leaves_nothing_out()
    names = [name for name in names if name not in missing]
    dealt = list(deal(plant, len(names), seed=SEED, names=names))
    late = [f"{each.name}: {words}" for each in dealt for words in each.wrong if re.search(LATE, words)]
    wrong = [f"{each.name}: {words}" for each in dealt for words in each.wrong if not re.search(LATE, words)]
    assert not wrong, "; ".join(wrong)
    assert not late, "; ".join(late)
    assert [each for each in dealt if each.refused != each.tried or not each.acts] == []
    assert len([*lines_of(dealt, names), total_of(dealt)]) == len(names) + 1
