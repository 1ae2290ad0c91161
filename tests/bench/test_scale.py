"""The bench of several machines: its arithmetic, its network, and two machines under a light load."""

import subprocess
from math import inf

import pytest

from simulator.bench.scale import report
from simulator.bench.scale.arithmetic import SharedWork, times
from simulator.bench.scale.machines import COORDINATOR
from simulator.bench.scale.network import namespaces, processes_alone, why_not
from simulator.bench.scale.scenes import ScaleShare, ScaleSight
from tests.needs import where_installed

ALONE = SharedWork(units=100, machines_s=[2.0], coordinator_s=0.5)


def test_site_does_as_much_as_its_busiest_machine_lets_it():
    assert SharedWork(units=100, machines_s=[2.0, 2.5], coordinator_s=0.5).capacity == 40


def test_coordinator_may_be_the_one_that_has_most_to_do():
    assert SharedWork(units=100, machines_s=[2.0, 2.5], coordinator_s=4.0).capacity == 25


@pytest.mark.parametrize(
    ("machines_s", "coordinator_s", "ratio"),
    [
        ([2.0, 2.0], 1.0, 2.0),  # twice the work, and each machine had as much to do as the single one
        ([3.0, 1.0], 1.0, 4 / 3),  # unevenly distributed
        ([2.5, 2.5], 1.0, 1.6),  # a unit costs more because there are two machines
        ([2.0, 2.0], 4.0, 1.0),  # the coordinator has twice as much to do
    ],
)
def test_two_machines_are_compared_with_one(machines_s, coordinator_s, ratio):
    assert times(SharedWork(units=200, machines_s=machines_s, coordinator_s=coordinator_s), ALONE) == pytest.approx(ratio)


def test_unevenness_is_the_average_as_a_share_of_the_most():
    assert SharedWork(units=1, machines_s=[3.0, 1.0], coordinator_s=0).evenness == pytest.approx(2 / 3)


def test_share_of_the_coordinator_and_the_machines_that_fill_it():
    assert (ALONE.coordinator_share, ALONE.machines_a_coordinator, ALONE.coordinator_unit_ms, ALONE.unit_ms) == (0.2, 4, 5, 20)


def test_nothing_done_is_nothing_told():
    idle = SharedWork(units=0, machines_s=[0.0], coordinator_s=0)
    figures = (idle.capacity, idle.evenness, idle.unit_ms, idle.coordinator_share, idle.machines_a_coordinator, times(ALONE, idle))
    assert figures == (0, 1, 0, 0, inf, 0)


@pytest.mark.parametrize(
    ("size", "ratio", "text"), [(1, 1.0, ""), (2, 1.8, ", 1.80 ×"), (2, 1.79, ", 1.79 × (below 1.8 ×)"), (4, 3.3, ", 3.30 × (below 3.4 ×)")]
)
def test_ratio_below_its_bar_is_marked(size, ratio, text):
    assert report.ratio_text(size, ratio) == text


def test_parts_of_a_machine_count_together_and_those_of_the_coordinator_apart():
    cpu_s = {"one": {"web": 1.0, "runner": 2.0}, "two": {"web": 0.5, "runner": 1.0}, COORDINATOR: {"postgres": 0.5, "redis": 0.25}}
    work = report.shared(ScaleSight(units=9, seconds=10, fixed_ms=30, cpu_s=cpu_s), 30)
    assert (work.machines_s, work.coordinator_s, work.units) == ([3.0, 1.5], 0.75, 9)


def test_of_viewers_only_what_serves_them_counts():
    cpu_s = {"one": {"web": 1.0, "runner": 2.0}, COORDINATOR: {"postgres": 0.5, "redis": 0.25}}
    work = report.shared(ScaleSight(units=9, seconds=10, fixed_ms=30, cpu_s=cpu_s), 30, parts=report.SERVED)
    assert (work.machines_s, work.coordinator_s) == ([1.0], 0.25)


def test_seconds_of_a_slow_core_count_as_less():
    cpu_s = {"one": {"web": 1.5}, "two": {"runner": 3.0}, COORDINATOR: {"postgres": 0.75}}
    work = report.shared(ScaleSight(units=9, seconds=10, fixed_ms=45, cpu_s=cpu_s), 30)
    assert (work.machines_s, work.coordinator_s) == ([1.0, 2.0], 0.5)


@pytest.mark.skipif(bool(why_not()), reason="needs root and ip netns")
def test_machines_have_networks_and_names_of_their_own_and_are_gone_afterwards():
    with namespaces(2) as network:
        one, two = network.machines
        said = [subprocess.check_output([*each.words, "uname", "-n"], text=True).strip() for each in (one, two)]
        reached = subprocess.run([*one.words, "ip", "route", "get", two.host], check=True, capture_output=True, text=True).stdout
    left = subprocess.check_output(["ip", "netns", "list"], text=True)
    assert (said, "dev eth0" in reached, one.name in left or two.name in left) == (["machine1", "machine2"], True, False)


@pytest.mark.servers
@pytest.mark.timeout(600)
def test_two_machines_share_a_little_of_everything():
    with where_installed():
        report.refuse_without_servers()
    share = ScaleShare(runs=2, rate=4_000, viewers=2, pages_s=1, sweeps=1, settle_s=1.0, seconds=4.0)
    seen = report.tried(processes_alone(2) if why_not() else namespaces(2), share)
    done = [sight.units for sight in (seen.runs, seen.viewers, seen.pages, seen.sweeps)]
    assert (seen.troubles, sum(seen.owned), [units > 0 for units in done]) == ({}, 4, [True] * 4)
    assert all(report.shared(sight, sight.fixed_ms).capacity > 0 for sight in (seen.runs, seen.pages, seen.sweeps))
