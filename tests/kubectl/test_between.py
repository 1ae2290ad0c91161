"""When an answer changes although nothing happens."""

import pytest

from simulator.engine.acts.all_acts import Stamped
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.course.replay import replay
from simulator.kubectl.between import next_change
from tests.factories import make_header, pod_json


def world_at(until_ms, *commands, manifest=None):
    stamped = [Stamped(n=n, at_ms=at_ms, command=command) for n, (at_ms, command) in enumerate(commands, 1)]
    return replay(make_header(*([manifest] if manifest else [])), stamped, until_ms=until_ms)


@pytest.mark.parametrize("line", ["get pods", "kubectl get pods -o wide", "describe pod web", "events"])
def test_an_age_changes_with_the_whole_second(line):
    assert next_change(world_at(20_300), line) == 21_000


def test_an_age_that_lies_ahead_changes_a_millisecond_later():
    assert next_change(world_at(20_000, (15_000, DeletePod(target="default/web"))), "describe pod web") == 20_001


def test_a_document_has_no_ages_but_events_expire():
    world = world_at(20_300)
    first = min(row.last_ms for row in world.tables.k8s_events.values())
    assert next_change(world, "get pods -o yaml") == first + 3_600_000


def test_a_kubelet_renews_its_lease_every_ten_seconds():
    first = next_change(world_at(20_300), "get nodes -o yaml")
    assert 20_300 < first <= 30_300
    assert next_change(world_at(first), "get nodes -o yaml") == first + 10_000


def test_a_line_of_a_log_is_let_go_when_it_is_older_than_asked_for():
    world = world_at(2_900, manifest=pod_json(command=("sh", "-c", "echo a; sleep 900")))
    ((line,),) = world.tables.logs.values()
    assert next_change(world, "logs web --since=5s") == line[1] + 5_001


def test_what_is_refused_stays_refused():
    assert next_change(world_at(1_000), "frobnicate") is None
