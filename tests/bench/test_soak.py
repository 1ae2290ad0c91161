"""The soak on a small scale: what it counts, when it passes, and that its visitors meet no errors."""

import os

import pytest
from django.core.management import CommandError, call_command

from simulator.bench.memory import WEB, ProcessMemory, by_name, memory_of, total_mib
from simulator.bench.site import measured_site
from simulator.bench.soak import report, scenes
from simulator.bench.soak.report import MemoryKept, SoakMemory

MIB = 1024


def site(web, *runners):
    """The memory of a site's processes, in MiB."""
    return [ProcessMemory(WEB, web * MIB), *(ProcessMemory("runner", mib * MIB) for mib in runners)]


def test_processes_add_up_before_they_are_rounded():
    assert total_mib([ProcessMemory("one", MIB // 2), ProcessMemory("two", MIB // 2)]) == 1


def test_processes_of_a_name_stand_together_the_largest_first():
    assert by_name(site(50, 30, 40)) == {"web": [50], "runner": [40, 30]}


@pytest.mark.parametrize(("web", "is_right"), [(60, True), (80, True), (81, False)])
def test_site_may_keep_a_fifth_more_than_it_takes_idle(web, is_right):
    found = SoakMemory(idle=site(60, 40), most=site(500, 500), after=site(web, 40))
    if is_right:
        found.check()
    else:
        with pytest.raises(MemoryKept, match=r"takes 121 MiB, 21 % more than the 100 MiB .*\(120 MiB\)"):
            found.check()


@pytest.mark.parametrize(("after", "percent"), [(100, 0), (101, 1), (90, -10), (150, 50)])
def test_difference_is_reported_in_percent(after, percent):
    assert SoakMemory(idle=site(200), most=site(200), after=site(2 * after)).over_percent == percent


def test_less_than_a_percent_too_much_is_not_reported_as_the_bar():
    assert SoakMemory(idle=site(1000), most=site(1000), after=site(1201)).over_percent == 21


def test_table_has_a_line_for_each_kind_of_process_and_one_for_all():
    after = [*site(60, 41), ProcessMemory("page worker", 5 * MIB)]
    header, *lines = SoakMemory(idle=site(50, 40, 30), most=site(1000, 200), after=after).table()
    assert [line.split()[1:] for line in (header, *lines)] == [
        ["MiB", "idle", "at", "most", "2", "min", "after"],
        ["web", "50", "1000", "60"],
        ["runner", "40", "+", "30", "200", "41"],
        ["page", "worker", "–", "–", "5"],
        ["together", "120", "1,200", "106"],
    ]
    assert len({len(line) for line in (header, *lines)}) == 1


def test_visitors_have_what_the_minutes_leave():
    assert report.load_seconds(15) == 15 * 60 - report.IDLE_S - report.AFTER_S


@pytest.mark.parametrize("minutes", [0, 2, 2.7])
def test_soak_that_leaves_no_time_for_visitors_is_refused(minutes):
    with pytest.raises(CommandError, match=r"at least 2\.75 minutes"):
        call_command("bench", "soak", minutes=minutes)


def test_trouble_of_visitors_is_reported():
    figures = {"rounds": 2, "runs": 40, "records": 12_000, "looks": 900, "troubles": {"503 /r/": 2, "0 /new/": 1}}
    assert report.load_line(figures, 90) == (
        "soak      visitors for 1.5 min in 2 rounds: 40 runs at 60×, 12,000 records, 900 looks at moments and panels; "
        "0 /new/ × 1, 503 /r/ × 2"
    )
    assert report.load_line({**figures, "troubles": {}}, 90).endswith("; no trouble")


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        ("503 /r/1df5ea9b-41a2-457d-a816-2567c8baa562/track/machine/?from_ms=825&to_ms=30710", "503 /r/…/track/machine/"),
        ("0 /r/1df5ea9b-41a2-457d-a816-2567c8baa562/at/26/panel/logs/", "0 /r/…/at/…/panel/logs/"),
        ("503 /r/1df5ea9b-41a2-457d-a816-2567c8baa562/?t=1&tab=why", "503 /r/…/"),
        ("socket closed with 4013", "socket closed with 4013"),
    ],
)
def test_trouble_is_reported_without_the_run_and_the_moment(trouble, kind):
    assert scenes.kind_of(trouble) == kind


def test_process_that_has_ended_takes_nothing():
    assert memory_of(2**22 + 1) == []


def test_own_memory_is_counted():
    own = memory_of(os.getpid())[0]
    assert own.name == WEB and own.pss_kib > 10 * MIB


async def test_visitors_of_a_round_look_about_without_trouble_and_the_processes_go_by_their_names(monkeypatch):
    monkeypatch.setattr(scenes, "LOOKS_EVERY_S", (0.1, 0.2))
    monkeypatch.setattr(scenes, "COMES_S", 0.1)
    with measured_site({"PODSCOPE_WORKERS": "1"}) as running:
        seen = await scenes.soak(running.port, 2, 5.0)
        names = {each.name for each in memory_of(running.process.pid)}
    assert (seen["rounds"], seen["runs"], seen["troubles"]) == (1, 2, {})
    assert min(seen["records"], seen["looks"]) > 0
    assert names >= {"web", "fork server", "page worker", "runner"}
