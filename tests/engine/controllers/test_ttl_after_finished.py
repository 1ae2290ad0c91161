"""How long finished Jobs are kept."""

import pytest

from simulator.engine.acts.objects.patch import PatchObject
from tests.engine.controllers.job.jobs import job, status, told
from tests.engine.worlds import header, run


def ended_s(world):
    epoch, at = "2026-01-01T00:00:", status(world)["conditions"][-1]["lastTransitionTime"]
    return int(at.removeprefix(epoch).removesuffix("Z"))


def gone(document, seconds, *commands, version="1.36"):
    world, records = run(header(document, kubernetes=version), seconds, *commands)
    return ("Job", "default", "j") not in world.tables.objects, world, records


@pytest.mark.parametrize("script", ["exit 0", "exit 1"])
def test_finished_job_goes_with_its_pods_when_its_time_is_over(script):
    document = job(script, ttlSecondsAfterFinished=6, backoffLimit=0)
    is_gone, world, _ = gone(document, 5)
    assert not is_gone
    due = ended_s(world) + 6
    assert not gone(document, due - 0.1)[0]
    is_gone, world, records = gone(document, due + 0.1)
    assert is_gone and told(records, "JOB-TTL") == [{"ttl_s": 6}]
    assert [row.gone_ms is not None for row in world.tables.pods.values()] == [True]


@pytest.mark.parametrize(("version", "is_gone"), [("1.20", False), ("1.21", True)])
def test_finished_jobs_stay_until_1_20(version, is_gone):
    assert gone(job("exit 0", ttlSecondsAfterFinished=1), 15, version=version)[0] is is_gone


def test_job_that_is_not_over_stays():
    assert not gone(job("sleep 60", ttlSecondsAfterFinished=0), 30)[0]


def test_time_that_is_made_longer_counts():
    longer = PatchObject(kind="Job", namespace="default", name="j", patch='{"spec": {"ttlSecondsAfterFinished": 40}}')
    document = job("exit 0", ttlSecondsAfterFinished=8)
    assert gone(document, 15)[0]
    assert not gone(document, 30, (5, longer))[0]
    assert gone(document, 50, (5, longer))[0]


def test_time_that_is_given_after_the_end_counts_from_the_end():
    given = PatchObject(kind="Job", namespace="default", name="j", patch='{"spec": {"ttlSecondsAfterFinished": 8}}')
    assert gone(job("exit 0"), 20.1, (20, given))[0]
