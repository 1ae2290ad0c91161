"""Asking for sweeps, stopping them, going on, opening cells, and forgetting old ones."""

from datetime import timedelta

import msgspec
import pytest
from django.utils import timezone

from simulator.engine.acts.pods.delete import DeletePod
from simulator.headless.sweeps.sweep import BadSweep, Sweep, SweepCell, SweepPlan, sweep_id
from simulator.models import Run, StoredSweep
from simulator.runs.content import Source
from simulator.runs.selectors.sweeps import sweep_before, sweeps_owned
from simulator.runs.services.errors import LimitReached, NotAllowed, Refused
from simulator.runs.services.sweeps import cell_open, sweep_again, sweep_ask, sweep_stop, sweeps_prune
from tests.engine.worlds import stamped
from tests.factories import OWNER, STRANGER, make_header

pytestmark = pytest.mark.django_db
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


def ask(*, owner: str = OWNER, address: str = "here", source: Source | None = None, **fields) -> StoredSweep:
    return sweep_ask(sweep=a_sweep(**fields), title="web", owner_key=owner, address=address, source=source)


def fill(row: StoredSweep, *cells: SweepCell | None, state: str = "done") -> StoredSweep:
    """Give a sweep its cells."""
    body, done = msgspec.json.encode(cells).decode(), sum(cell is not None for cell in cells)
    StoredSweep.objects.filter(id=row.id).update(state=state, results_body=body, done=done)
    row.refresh_from_db()
    return row


def test_sweep_waits_under_an_id_of_what_is_asked():
    row = ask()
    assert (row.id, row.state, row.size, row.cells()) == (sweep_id(a_sweep()), "queued", 4, [None] * 4)


def test_same_sweep_is_answered_from_what_is_there():
    fill(ask(), *[SweepCell(7)] * 4)
    again = ask(owner=STRANGER)
    assert (again.state, again.cells(), StoredSweep.objects.count()) == ("done", [SweepCell(7)] * 4, 1)


def test_another_sweep_is_another_row():
    assert ask().id != ask(values=(1, 3)).id


def test_sweep_that_cannot_be_made_is_refused_at_once():
    with pytest.raises(BadSweep):
        ask(field="spec.nothing")
    assert not StoredSweep.objects.exists()


def test_sweep_that_is_too_large_says_how_large_it_may_be(settings):
    settings.SIM_SWEEP_CELLS_MAX = 3
    with pytest.raises(LimitReached, match="2 values × 2 seeds are 4 runs; a sweep has at most 3"):
        ask()


def test_visitor_has_only_so_many_under_way(settings):
    settings.SIM_SWEEPS_PER_OWNER_MAX = 1
    ask()
    ask()  # the same one is no other
    with pytest.raises(LimitReached, match="Wait until one is done, or stop one"):
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
    row.refresh_from_db()
    assert row.state == "stopped" and row.state_note


def test_sweep_goes_on_with_what_is_missing():
    slow = SweepCell(problem="slow", is_final=False)
    row = sweep_again(row=fill(ask(), SweepCell(1), slow, None, SweepCell(problem="refused"), state="stopped"), owner_key=OWNER)
    assert (row.state, row.cells(), row.done) == ("queued", [SweepCell(1), None, None, SweepCell(problem="refused")], 2)


def test_sweep_that_is_whole_is_not_worked_out_again():
    assert sweep_again(row=fill(ask(), *[SweepCell(problem="refused")] * 4), owner_key=OWNER).state == "done"


def test_cell_opens_the_run_that_it_stands_for():
    row = fill(ask(source=Source(manifests=YAML)), *[SweepCell(1_500, 1_500, "condition/default/web/Ready")] * 4)
    run, cell = cell_open(row=row, number=3, owner_key=OWNER)
    assert run.header() == SweepPlan(row.sweep()).header(2, 2) and (run.header().seed, run.base_ms, run.is_paused) == (2, 1_500, True)
    assert cell == row.cells()[3]
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
    StoredSweep.objects.exclude(id=fresh.id).update(seen_at=timezone.now() - timedelta(days=40))
    assert (sweeps_prune(days=0), sweeps_prune(days=30), sweeps_prune(days=30)) == (0, 1, 0)
    assert set(StoredSweep.objects.values_list("id", flat=True)) == {fresh.id, waiting.id} and old.id != fresh.id


def test_sweep_that_ended_without_a_cell_is_forgotten_soon():
    row = ask()
    sweep_stop(row=row, owner_key=OWNER)
    assert sweeps_prune(days=30) == 0
    StoredSweep.objects.update(seen_at=timezone.now() - timedelta(hours=3))
    assert sweeps_prune(days=30) == 1
