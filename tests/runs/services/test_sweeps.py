"""Requesting sweeps, stopping and resuming them, opening cells, and forgetting old ones."""

from datetime import timedelta

import msgspec
import pytest
from django.utils import timezone

from simulator.engine.acts.pods.delete import DeletePod
from simulator.headless.sweeps.sweep import BadSweep, Sweep, SweepCell, SweepPlan, sweep_id
from simulator.models import Run, StoredSweep, SweepAsk
from simulator.runs.log.content import Source
from simulator.runs.selectors.sweeps import sweep_before, sweeps_owned
from simulator.runs.services.errors import LimitReached, NotAllowed, Refused
from simulator.runs.services.sweeps import BY_OWNER, asks_forget, cell_open, sweep_again, sweep_ask, sweep_stop, sweeps_prune
from simulator.runs.state_notes import state_note
from tests.engine.worlds import stamped
from tests.factories import OWNER, STRANGER, make_header

pytestmark = pytest.mark.django_db
LATE = state_note("sweep_too_long")
GRACE = "spec.terminationGracePeriodSeconds"
YAML = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  terminationGracePeriodSeconds: 30  # patient
  containers: [{name: app, image: busybox:1.28}]
"""


def a_sweep(**fields) -> Sweep:
    values = {"header": make_header(), "field": GRACE, "values": (1, 2), "seeds": (1, 2), "outcome": "time-to-ready", "until_ms": 9_000}
    return Sweep(**(values | fields))


def ask(*, owner: str = OWNER, address: str = "here", source: Source | None = None, title: str = "web", **fields) -> SweepAsk:
    return sweep_ask(sweep=a_sweep(**fields), title=title, owner_key=owner, address=address, source=source)


def fill(row: SweepAsk, *cells: SweepCell | None, state: str = "done") -> SweepAsk:
    """Give a sweep its cells."""
    body, done = msgspec.json.encode(cells).decode(), sum(cell is not None for cell in cells)
    StoredSweep.objects.filter(id=row.work_id).update(state=state, results_body=body, done=done)
    return read(row)


def read(row: SweepAsk) -> SweepAsk:
    """The current state of the ask and its work."""
    return SweepAsk.objects.select_related("work").get(id=row.id)


def test_work_of_a_sweep_waits_under_an_id_of_what_is_asked():
    row = ask()
    assert (row.work_id, row.state, row.work.size, row.work.cells()) == (sweep_id(a_sweep()), "queued", 4, [None] * 4)


def test_same_sweep_is_answered_from_what_is_there():
    fill(ask(), *[SweepCell(7)] * 4)
    again = ask(owner=STRANGER)
    assert (again.state, again.work.cells(), StoredSweep.objects.count()) == ("done", [SweepCell(7)] * 4, 1)


def test_another_sweep_is_another_row():
    assert ask().work_id != ask(values=(1, 3)).work_id


def test_sweep_that_cannot_be_made_is_refused_at_once():
    with pytest.raises(BadSweep):
        ask(field="spec.nothing")
    assert not StoredSweep.objects.exists()


def test_sweep_that_is_too_large_says_how_large_it_may_be(settings):
    settings.SIM_SWEEP_CELLS_MAX = 3
    with pytest.raises(LimitReached, match="2 values × 2 seeds make 4 runs; a sweep can have at most 3"):
        ask()
    settings.SIM_SWEEP_CELLS_MAX = 4
    assert ask().work.size == 4


def test_visitor_has_only_so_many_under_way(settings):
    settings.SIM_SWEEPS_PER_OWNER_MAX = 1
    ask()
    ask()  # an equal ask is the same one
    with pytest.raises(LimitReached, match="Wait for one to finish, or stop one"):
        ask(values=(3,))
    ask(owner=STRANGER, values=(3,))


def test_network_and_site_have_only_so_many_under_way(settings):
    settings.SIM_SWEEPS_PER_ADDRESS_MAX, settings.SIM_SWEEPS_OPEN_MAX = 1, 2
    ask()
    with pytest.raises(LimitReached) as by_address:
        ask(owner=STRANGER, values=(3,))
    ask(owner=STRANGER, address="there", values=(3,))
    with pytest.raises(LimitReached) as by_site:
        ask(owner="third", address="elsewhere", values=(4,))
    assert (by_address.value.code, by_site.value.code) == ("address", "open")


def test_only_whoever_asked_stops_a_sweep():
    row = ask()
    with pytest.raises(NotAllowed):
        sweep_stop(row=row, owner_key=STRANGER)
    sweep_stop(row=row, owner_key=OWNER)
    row = read(row)
    assert (row.state, row.work.state, row.state_note) == ("stopped", "stopped", BY_OWNER)


def test_sweep_goes_on_with_what_is_missing():
    slow = SweepCell(problem="slow", is_final=False)
    row = sweep_again(row=fill(ask(), SweepCell(1), slow, None, SweepCell(problem="refused"), state="stopped"), owner_key=OWNER)
    assert (row.state, row.work.cells(), row.work.done) == ("queued", [SweepCell(1), None, None, SweepCell(problem="refused")], 2)


def test_sweep_that_is_whole_is_not_computed_again():
    assert sweep_again(row=fill(ask(), *[SweepCell(problem="refused")] * 4), owner_key=OWNER).state == "done"


def test_cell_opens_the_run_that_it_stands_for():
    row = fill(ask(source=Source(manifests=YAML)), *[SweepCell(1_500, 1_500, "condition/default/web/Ready")] * 4)
    run, cell = cell_open(row=row, number=3, owner_key=OWNER)
    assert run.header() == SweepPlan(row.work.sweep()).header(2, 2) and (run.header().seed, run.base_ms, run.is_paused) == (2, 1_500, True)
    assert cell == row.work.cells()[3]
    assert "terminationGracePeriodSeconds: 2  # patient" in run.content().source.manifests


def test_cell_opens_the_same_run_again_until_something_is_done_to_it():
    row = fill(ask(), *[SweepCell(1)] * 4)
    first, _ = cell_open(row=row, number=0, owner_key=OWNER)
    assert cell_open(row=row, number=0, owner_key=OWNER)[0] == first
    assert cell_open(row=row, number=0, owner_key=STRANGER)[0] != first
    first.commands.create(n=1, client_key="given-by-hand", body="{}")
    assert cell_open(row=row, number=0, owner_key=OWNER)[0] != first


def test_cell_of_what_did_not_happen_opens_at_the_end():
    run, _ = cell_open(row=fill(ask(), *[SweepCell()] * 4), number=0, owner_key=OWNER)
    assert run.base_ms == 9_000


def test_commands_of_the_run_are_those_of_its_cells():
    commands = tuple(stamped((3, DeletePod(target="default/web"))))
    run, _ = cell_open(row=ask(commands=commands), number=0, owner_key=OWNER)
    assert [(row.at_ms, row.command()) for row in run.commands.all()] == [(3_000, DeletePod(target="default/web"))]


def test_cell_that_the_api_server_refuses_has_no_run():
    with pytest.raises(Refused, match="spec.activeDeadlineSeconds: Invalid value"):
        cell_open(row=ask(field="spec.activeDeadlineSeconds", values=(-1,)), number=0, owner_key=OWNER)
    assert not Run.objects.exists()


@pytest.mark.parametrize("number", [-1, 4])
def test_cell_that_is_none_is_refused(number):
    with pytest.raises(Refused):
        cell_open(row=ask(), number=number, owner_key=OWNER)


def test_sweeps_of_a_browser_come_newest_first():
    first, second = ask(), ask(values=(3,))
    ask(owner=STRANGER, values=(4,))
    assert [row.id for row in sweeps_owned(OWNER, limit=5)] == [second.id, first.id]
    assert (sweep_before(first), sweep_before(second)) == (0, 1)


def test_sweep_that_nobody_looks_at_is_forgotten_unless_it_is_under_way():
    old, fresh, waiting = fill(ask()), fill(ask(values=(3,))), ask(values=(4,))
    SweepAsk.objects.exclude(id=fresh.id).update(seen_at=timezone.now() - timedelta(days=40))
    assert (sweeps_prune(days=0), sweeps_prune(days=30), sweeps_prune(days=30)) == (0, 1, 0)
    assert set(SweepAsk.objects.values_list("id", flat=True)) == {fresh.id, waiting.id}
    assert set(StoredSweep.objects.values_list("id", flat=True)) == {fresh.work_id, waiting.work_id} and old.id != fresh.id


def test_sweeps_that_nobody_has_looked_at_for_longest_are_forgotten_first():
    rows = {days: fill(ask(values=(days,))) for days in (50, 70, 60)}
    for days, row in rows.items():
        SweepAsk.objects.filter(id=row.id).update(seen_at=timezone.now() - timedelta(days=days))
    assert sweeps_prune(days=30, limit=2) == 2
    assert SweepAsk.objects.get().id == rows[50].id


def test_sweep_that_ended_without_a_cell_is_forgotten_soon():
    row = ask()
    sweep_stop(row=row, owner_key=OWNER)
    assert sweeps_prune(days=30) == 0
    SweepAsk.objects.update(seen_at=timezone.now() - timedelta(hours=3))
    assert sweeps_prune(days=30) == 1 and not StoredSweep.objects.exists()


def test_each_asker_has_an_address_title_and_texts_of_their_own():
    first = ask(source=Source(manifests=YAML), title="payroll")
    second = ask(owner=STRANGER, source=Source(manifests=YAML.replace("patient", "homework")), title="mine")
    assert first.work_id == second.work_id and first.id != second.id
    assert [row.title for row in (read(first), read(second))] == ["payroll", "mine"]
    run, _ = cell_open(row=second, number=0, owner_key=STRANGER)
    assert run.title.startswith("mine:") and "# homework" in run.content().source.manifests


def test_address_of_an_ask_cannot_be_made_of_what_is_asked():
    first, second = ask(), ask(owner=STRANGER)
    assert len({first.id, second.id, first.work_id, second.work_id}) == 3 and len(first.id) == 24


def test_same_browser_gets_its_ask_again_under_its_new_title():
    first = ask(title="before")
    again = ask(title="after")
    assert (again.id, read(first).title, SweepAsk.objects.count()) == (first.id, "after", 1)


def test_same_browser_that_asks_from_other_texts_has_another_ask():
    assert ask(source=Source(manifests=YAML)).id != ask(source=Source(manifests=YAML.replace("patient", "other"))).id


def test_work_goes_on_until_the_last_asker_stops_it():
    first, second = ask(), ask(owner=STRANGER)
    sweep_stop(row=first, owner_key=OWNER)
    assert (read(first).state, read(first).state_note, read(second).state) == ("stopped", BY_OWNER, "queued")
    sweep_stop(row=second, owner_key=STRANGER)
    assert (read(second).state, read(second).work.state) == ("stopped", "stopped")


def test_asker_who_stopped_sees_the_cells_that_another_waited_for():
    first, second = ask(), ask(owner=STRANGER)
    sweep_stop(row=first, owner_key=OWNER)
    fill(second, *[SweepCell(7)] * 4)
    assert (read(first).state, read(first).state_note, read(first).work.done) == ("done", {}, 4)


def test_asker_who_stopped_joins_again_without_a_new_beginning():
    first = ask()
    ask(owner=STRANGER)
    sweep_stop(row=first, owner_key=OWNER)
    StoredSweep.objects.update(state="running", owner="one", attempts=1)
    again = sweep_again(row=read(first), owner_key=OWNER)
    assert (again.state, again.work.owner, again.work.attempts, read(first).is_open) == ("running", "one", 1, True)


def test_only_its_asker_goes_on_with_a_sweep():
    row = ask()
    sweep_stop(row=row, owner_key=OWNER)
    with pytest.raises(NotAllowed):
        sweep_again(row=row, owner_key=STRANGER)
    assert read(row).work.state == "stopped"


def test_whoever_did_not_go_on_waits_for_nothing_and_is_told_how_it_ended():
    first, second = fill(ask(), SweepCell(1), None, None, None), ask(owner=STRANGER)
    StoredSweep.objects.update(state="stopped", state_note=LATE)
    sweep_again(row=second, owner_key=STRANGER)
    assert (read(first).state, read(first).state_note, read(second).state) == ("stopped", LATE, "queued")
    sweep_stop(row=second, owner_key=STRANGER)
    assert read(second).work.state == "stopped"


def test_sweep_that_another_asked_for_counts_for_whoever_joins_it(settings):
    settings.SIM_SWEEPS_PER_OWNER_MAX = 1
    ask()
    joined = ask(owner=STRANGER)
    with pytest.raises(LimitReached, match="Wait for one to finish"):
        ask(owner=STRANGER, values=(3,))
    sweep_stop(row=joined, owner_key=STRANGER)
    ask(owner=STRANGER, values=(3,))
    with pytest.raises(LimitReached, match="Wait for one to finish"):
        sweep_again(row=joined, owner_key=STRANGER)


def test_joining_counts_for_the_network_and_costs_the_site_nothing(settings):
    settings.SIM_SWEEPS_OPEN_MAX = settings.SIM_SWEEPS_PER_ADDRESS_MAX = 1
    ask()
    with pytest.raises(LimitReached) as by_address:
        ask(owner=STRANGER)
    ask(owner=STRANGER, address="there")
    assert by_address.value.code == "address" and StoredSweep.objects.count() == 1


def test_refused_ask_leaves_nothing_behind(settings):
    settings.SIM_SWEEPS_OPEN_MAX = 0
    with pytest.raises(LimitReached):
        ask()
    assert not StoredSweep.objects.exists() and not SweepAsk.objects.exists()


def test_result_that_is_there_needs_no_room(settings):
    fill(ask(), *[SweepCell(7)] * 4)
    settings.SIM_SWEEPS_PER_OWNER_MAX = settings.SIM_SWEEPS_OPEN_MAX = settings.SIM_SWEEPS_PER_ADDRESS_MAX = 0
    assert ask(owner=STRANGER).state == "done"


def test_work_is_kept_as_long_as_one_ask_of_it():
    first, second = fill(ask(), *[SweepCell(7)] * 4), ask(owner=STRANGER)
    SweepAsk.objects.filter(id=first.id).update(seen_at=timezone.now() - timedelta(days=40))
    assert sweeps_prune(days=30) == 1
    assert list(SweepAsk.objects.all()) == [second] and read(second).work.done == 4
    SweepAsk.objects.update(seen_at=timezone.now() - timedelta(days=40))
    assert sweeps_prune(days=30) == 1 and not StoredSweep.objects.exists()


def test_ask_that_was_stopped_is_forgotten_while_another_waits():
    first, second = ask(), ask(owner=STRANGER)
    sweep_stop(row=first, owner_key=OWNER)
    SweepAsk.objects.update(seen_at=timezone.now() - timedelta(hours=3))
    assert sweeps_prune(days=30) == 1 and list(SweepAsk.objects.all()) == [second] and read(second).is_open


def test_work_ends_when_the_only_ask_that_waits_is_deleted():
    first, second = ask(), ask(owner=STRANGER)
    sweep_stop(row=first, owner_key=OWNER)
    asks_forget(SweepAsk.objects.filter(id=second.id))
    assert read(first).work.state == "stopped"
    with pytest.raises(Refused, match="This sweep has been deleted"):
        sweep_again(row=second, owner_key=STRANGER)


def test_sweep_that_is_gone_on_with_does_not_wait_for_itself():
    row = ask()
    sweep_stop(row=row, owner_key=OWNER)
    assert sweep_before(sweep_again(row=row, owner_key=OWNER)) == 0
