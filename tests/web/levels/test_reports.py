"""Results computed from an attempt or a run for a level's pages: an exam's report, the seeds with which a level is played."""

import pytest
from msgspec.structs import replace

from simulator.runs.services.shares import content_so_far
from simulator.web.levels import level_attempts, level_source
from tests.built_in import LEVELS
from tests.factories import make_run
from tests.web.helpers import play


def test_an_exam_reports_the_checks_that_were_decided_and_not_kept():
    level = next(level for level in LEVELS if len(level.checks) > 3)
    verdicts = ["kept", "open", "broken", *["lost"] * (len(level.checks) - 3)]
    checks = [
        {"id": check.id, "verdict": verdict, "at_ms": 5, "seq": 7, "subject": "s", "reason": "r", "count": 1}
        for check, verdict in zip(level.checks, verdicts, strict=True)
    ]
    told = level_attempts._report(level, {"checks": checks})
    assert [each["id"] for each in told] == [check.id for check in level.checks[2:]]
    assert {name: told[0][name] for name in ("at_ms", "seq", "subject", "reason")} == {"at_ms": 5, "seq": 7, "subject": "s", "reason": "r"}
    assert told[0]["text"] and "count" not in told[0]


@pytest.mark.django_db
@pytest.mark.parametrize(("seed", "other"), [(1, 2), (2**31 - 2, 2**31 - 1), (2**31 - 1, 1)])
def test_a_level_out_of_a_run_has_its_seed_and_the_next_or_the_first_after_the_last(seed, other, monkeypatch):
    run = play(make_run(), 1_000)
    content = content_so_far(run)
    monkeypatch.setattr(level_source, "content_so_far", lambda run: replace(content, header=replace(content.header, seed=seed)))
    assert level_source.level_table(run, 0, names=("right", "wrong"))["seeds"] == [seed, other]
