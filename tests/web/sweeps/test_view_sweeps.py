"""The pages of sweeps: form, progress, result, and the runs behind cells."""

import re
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from django.urls import reverse

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.patch import PatchPod
from simulator.engine.course.header import RunHeader
from simulator.engine.projection.text import Text
from simulator.headless.refused import RefusedAct
from simulator.headless.sweeps.sweep import SweepCell
from simulator.models import Run, StoredSweep, SweepAsk
from simulator.runs.log.content import Content
from simulator.runs.permissions import hash_key
from simulator.runs.services.commands import command_submit
from simulator.runs.services.shares import share_create, shared_run
from simulator.runs.turns.constants import CELL_S
from simulator.web.sweeps import sweeps
from tests.factories import OWNER, STRANGER, make_run
from tests.runs.services.test_sweeps import ask, fill, read
from tests.web.helpers import play, sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db
GRACE = "spec.terminationGracePeriodSeconds"
ASKED = {"field": GRACE, "first": "1", "last": "5", "step": "2", "seeds": "3", "outcome": "time-to-ready", "seconds": "30"}
HTMX = {"HX-Request": "true"}


def asked_of(client, url: str, **fields: str):
    return client.post(url, ASKED | fields)


def test_form_of_a_run_completes_the_fields_of_its_manifest(client):
    page = text_of(client.get(reverse("sim:run-sweep", args=[make_run().id])))
    assert f'<option value="{GRACE}">30 (default)</option>' in page
    assert '<option value="spec.activeDeadlineSeconds">not set</option>' in page
    assert 'value="time-to-ready"' in page


def test_form_is_filled_by_its_address(client):
    page = text_of(client.get(reverse("sim:run-sweep", args=[make_run().id]) + "?field=spec.priority&last=77&seeds=4"))
    assert 'value="spec.priority"' in page and 'value="77"' in page and 'value="4"' in page


def test_sweep_of_a_run_is_asked_with_all_that_was_done_to_it(client):
    run = play(make_run(), 5_000)
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="12345678")
    play(run, 8_000)
    url = reverse("sim:run-sweep", args=[run.id])
    assert "1 action is applied" in text_of(client.get(url))
    answer = asked_of(client, url)
    row = SweepAsk.objects.get()
    assert answer.headers["Location"] == reverse("sim:sweep", args=[row.id]) and row.run == run
    sweep = row.work.sweep()
    assert (sweep.values, sweep.seeds, sweep.until_ms, len(sweep.commands)) == ((1, 3, 5), (1, 2, 3), 30_000, 1)


def test_sweep_of_a_story_has_the_acts_of_its_reader(client, stories):
    asked_of(client, "/scenarios/pid-1-is-deaf/sweep/")
    row = SweepAsk.objects.get()
    assert row.work.sweep().commands and row.scenario.slug == "pid-1-is-deaf"


def test_story_with_requests_is_swept_for_those_that_fail(client, stories):
    page = text_of(client.get(reverse("sim:scenario-sweep", args=["zero-downtime"])))
    assert 'value="failed-requests" selected' in page
    assert 'value="ReplicaSet/web: spec.template.spec.containers[0].lifecycle.preStop.sleep.seconds"' in page
    assert reverse("sim:scenario-sweep", args=["zero-downtime"]) in text_of(client.get(reverse("sim:sweeps")))


def test_pages_lead_to_the_sweep(client, stories):
    run = make_run()
    assert "/scenarios/hello-pod/sweep/" in text_of(client.get("/scenarios/hello-pod/"))
    assert reverse("sim:run-sweep", args=[run.id]) in text_of(client.get(reverse("sim:run", args=[run.id])))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"field": "spec.nothing"}, "Pod has no field spec.nothing."),
        ({"first": "x"}, "“x” is not a whole number."),
        ({"last": "0"}, "Put the smaller end first"),
        ({"seeds": "0"}, "greater than or equal to 1"),
        ({"outcome": "events"}, "Specify which one: events:REASON."),
        ({"seconds": "99999"}, "less than or equal to 3600"),
        ({"last": "9000", "step": "1"}, "use a larger step"),
        ({"last": "900", "step": "1"}, "a sweep can have at most 1000"),
    ],
)
def test_form_says_what_is_wrong_and_keeps_what_was_typed(client, fields, said):
    answer = asked_of(client, reverse("sim:run-sweep", args=[make_run().id]), **fields)
    page = text_of(answer)
    assert answer.status_code == 422 and said in page and not StoredSweep.objects.exists()
    assert all(f'value="{value}"' in page for value in fields.values())


def test_pasted_manifest_is_swept(client):
    page = text_of(client.get("/sweeps/?example=hang"))
    manifest = re.search(r"<textarea[^>]*>\n?(.*?)</textarea>", page, re.DOTALL)[1].replace("&quot;", '"')
    assert "spec.containers[0].livenessProbe.failureThreshold" in page and 'value="restarts" selected' in page
    answer = asked_of(client, "/sweeps/", manifest=manifest, kubernetes="1.33")
    row = SweepAsk.objects.get()
    assert answer.status_code == 302 and row.title == "web"
    assert f'href="/sweeps/{row.id}/"' in text_of(client.get("/sweeps/"))


def test_asking_for_a_sweep_says_how_long_its_missing_cells_take(client):
    sign_in_as_owner(client)
    page = text_of(client.get("/sweeps/?example=hang"))
    manifest = re.search(r"<textarea[^>]*>\n?(.*?)</textarea>", page, re.DOTALL)[1].replace("&quot;", '"')
    first = asked_of(client, "/sweeps/", manifest=manifest, kubernetes="1.33")
    row = SweepAsk.objects.get()
    count = len(row.work.cells())
    fill(row, *[SweepCell(1_000)] * (count - 1), None, state="running")
    again = asked_of(client, "/sweeps/", manifest=manifest, kubernetes="1.33")
    fill(row, *[SweepCell(1_000)] * count, state="done")
    whole = asked_of(client, "/sweeps/", manifest=manifest, kubernetes="1.33")
    assert count > 1 and [answer.ordered_s for answer in (first, again, whole)] == [pytest.approx(count * CELL_S), CELL_S, 0]


def test_continuing_a_sweep_says_how_long_its_missing_cells_take(client):
    sign_in_as_owner(client)
    row = fill(ask(), SweepCell(7), None, None, None, state="stopped")
    control = reverse("sim:sweep-control", args=[row.id])
    assert client.post(control, {"do": "again"}).ordered_s == pytest.approx(3 * CELL_S)
    assert not hasattr(client.post(control, {"do": "stop"}), "ordered_s")


def test_numeric_fields_of_a_pasted_manifest_are_found(client):
    two = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: x}]}\n---\n"
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\nspec: {minAvailable: 1, selector: {matchLabels: {a: b}}}\n"
    )
    page = text_of(client.post("/sweeps/", {"manifest": two, "kubernetes": "1.33", "find": "1"}))
    assert '<option value="b: spec.minAvailable">1</option>' in page and not StoredSweep.objects.exists()


def test_pasted_manifest_with_an_error_is_shown_with_its_line(client):
    answer = asked_of(client, "/sweeps/", manifest="kind: Pod\napiVersion: v1\nspec: {containers: 3}\n", kubernetes="1.33")
    assert answer.status_code == 422 and "Line 3" in text_of(answer)


def test_sweep_under_way_is_looked_at_again_with_and_without_scripts(client):
    sign_in_as_owner(client)
    row = fill(ask(), SweepCell(1_000), None, None, None, state="running")
    url = reverse("sim:sweep", args=[row.id])
    page = text_of(client.get(url))
    assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in page
    assert f'hx-get="{url}"' in page and "1 of 4 runs" in page and "Stop sweep" in page
    part = text_of(client.get(url, headers=HTMX))
    assert "1 of 4 runs" in part and "<html" not in part


def test_stranger_sees_a_sweep_and_cannot_stop_it(client):
    sign_in_as_owner(client, STRANGER)
    row = ask()
    assert "Stop sweep" not in text_of(client.get(reverse("sim:sweep", args=[row.id])))
    assert client.post(reverse("sim:sweep-control", args=[row.id]), {"do": "stop"}).status_code == 422
    assert read(row).is_open


def test_owner_stops_a_sweep_and_goes_on_with_it(client):
    sign_in_as_owner(client)
    row = ask()
    control, url = reverse("sim:sweep-control", args=[row.id]), reverse("sim:sweep", args=[row.id])
    assert client.post(control, {"do": "stop"}).headers["Location"] == url
    assert "Compute missing cells" in text_of(client.get(url))
    client.post(control, {"do": "again"})
    assert read(row).state == "queued"


def test_scripts_load_the_page_again_when_the_sweep_is_done(client):
    row = fill(ask(), *[SweepCell(1_000)] * 4)
    answer = client.get(reverse("sim:sweep", args=[row.id]), headers=HTMX)
    assert (answer.status_code, answer.headers["HX-Refresh"]) == (204, "true")


def test_result_has_a_chart_whose_columns_lead_to_the_table(client):
    row = fill(ask(), SweepCell(1_000), SweepCell(3_000), SweepCell(None), SweepCell(5_000))
    page = text_of(client.get(reverse("sim:sweep", args=[row.id])))
    assert page.count('<a class="sweep-chart__column" href="#value-') == 2
    assert 'id="value-1"' in page and "∅1" in page
    assert "1: median 2.0 s, from 1.0 s to 3.0 s; happened in 2 of 2 runs" in page
    assert page.count('class="sweep-cell') == 4 and ">never</button>" in page


def test_sweep_has_a_chart_from_its_first_run_on(client):
    row = ask()
    url = reverse("sim:sweep", args=[row.id])
    assert "sweep-chart" not in text_of(client.get(url, headers=HTMX))
    fill(row, SweepCell(1_000), None, None, None, state="running")
    assert "sweep-chart" in text_of(client.get(url, headers=HTMX))


def test_result_says_why_a_value_was_refused(client):
    why = SweepCell(problem="spec.x: Invalid value: -1: no")
    page = text_of(client.get(reverse("sim:sweep", args=[fill(ask(), why, why, SweepCell(1), SweepCell(1)).id])))
    assert "✕ 1: spec.x: Invalid value: -1: no" in page and page.count('class="sweep-cell') == 2


def test_refused_act_is_marked_in_the_cell_the_table_the_chart_and_above_it(client):
    act = RefusedAct(
        20_000, 7, Text("Delete {target}", (("target", "default/web-a"),)), Text("There is no pod with that name at this moment.")
    )
    void = SweepCell(at_ms=20_000, subject="pod/default/web-a", refused=(act,))
    row = fill(ask(), SweepCell(1_000), void, void, void)
    page = text_of(client.get(reverse("sim:sweep", args=[row.id])))
    why = "20 s, Delete default/web-a: There is no pod with that name at this moment."
    assert page.count(">⊘ refused</button>") == 3 and f'title="{why}' in page
    assert "In 3 of 4 runs an action was refused" in page and "and are not counted." in page
    assert f"⊘ 1: in 1 run an action was refused; it is not counted. {why}" in page
    assert '<td class="num">1/1</td>' in page and '<td class="num">0/0</td>' in page
    assert ">⊘2</text>" in page


@pytest.mark.parametrize(("named", "unnamed", "more"), [(2, 0, "1 more refused action"), (5, 4, "8 more refused actions")])
def test_cell_says_how_many_more_acts_were_refused(client, named, unnamed, more):
    void = SweepCell(refused=(RefusedAct(0, 1, Text("Delete it"), Text("It is gone.")),) * named, unnamed=unnamed)
    page = text_of(client.get(reverse("sim:sweep", args=[fill(ask(), SweepCell(1_000), void, void, void).id])))
    assert f'title="0 s, Delete it: It is gone. … and {more} Open the run' in page


def test_sweep_of_a_field_that_an_act_of_the_run_writes_is_refused_at_the_field(client):
    run = play(make_run(), 5_000)
    patch = PatchPod(target="default/web", patch='{"spec": {"activeDeadlineSeconds": 9}}')
    command_submit(run=run, owner_key=OWNER, command=patch, client_key="12345678")
    play(run, 8_000)
    answer = asked_of(client, reverse("sim:run-sweep", args=[run.id]), field="spec.activeDeadlineSeconds")
    assert answer.status_code == 422 and "An action in the run sets this field at 5 s (Patch default/web)" in text_of(answer)
    assert not SweepAsk.objects.exists()


def test_sweep_of_a_story_has_the_acts_that_it_has_for_sweeps(client, stories):
    answer = asked_of(
        client,
        reverse("sim:scenario-sweep", args=["zero-downtime"]),
        field="ReplicaSet/web: spec.template.spec.containers[0].lifecycle.preStop.sleep.seconds",
        outcome="failed-requests",
    )
    assert answer.status_code == 302
    assert {type(item.command) for item in SweepAsk.objects.get().work.sweep().commands} == {DeletePod}


def test_cell_leads_to_its_run_at_the_moment_of_the_outcome(client):
    row = fill(ask(), *[SweepCell(1_500, 1_500, "condition/default/web/Ready")] * 4)
    answer = client.post(reverse("sim:sweep-cell", args=[row.id]), {"cell": "2"})
    run = Run.objects.get()
    url = reverse("sim:run", args=[run.id])
    assert answer.headers["Location"] == url + "?sel=condition%2Fdefault%2Fweb%2FReady" and run.base_ms == 1_500
    play(run, 4_000)
    assert client.post(reverse("sim:sweep-cell", args=[row.id]), {"cell": "2"}).headers["Location"].startswith(f"{url}?t=1.5&")
    assert (run.header().seed, '"terminationGracePeriodSeconds":2' in run.header().manifests[0]) == (1, True)


@pytest.mark.parametrize("cell", ["", "x", "99999999"])
def test_cell_that_is_none_is_not_found(client, cell):
    assert client.post(reverse("sim:sweep-cell", args=[ask().id]), {"cell": cell}).status_code == 404


def test_unknown_sweep_is_not_found(client):
    assert client.get("/sweeps/nothing/").status_code == 404


def test_sweep_of_an_older_release_that_cannot_be_planned_is_still_shown(client):
    row = fill(ask(), *[SweepCell(1_000)] * 4)
    StoredSweep.objects.update(body=row.work.body.replace(GRACE, "spec.gone"))
    assert "spec.gone" in text_of(client.get(reverse("sim:sweep", args=[row.id])))


def test_run_without_manifests_says_that_there_is_nothing_to_sweep(client):
    run = make_run(content=Content(header=RunHeader(kubernetes="1.30")))
    url = reverse("sim:run-sweep", args=[run.id])
    assert "This run has no manifest with fields that could be changed." in text_of(client.get(url))
    assert asked_of(client, url).status_code == 422


def test_sweep_that_is_one_too_many_at_once_is_refused_as_a_flood_is(client, settings):
    settings.SIM_SWEEPS_PER_OWNER_MAX = 0
    answer = asked_of(client, reverse("sim:run-sweep", args=[make_run().id]))
    assert answer.status_code == 429 and "Wait for one to finish, or stop one." in text_of(answer)


def test_run_behind_a_link_is_swept_as_any_other(client):
    share = share_create(run=play(make_run(), 2_000))
    assert asked_of(client, reverse("sim:run-sweep", args=[shared_run(share=share).id])).status_code == 302


def test_sweeps_are_in_the_readers_language(client):
    page = text_of(client.get("/sweeps/", headers={"Accept-Language": "zh-hans"}))
    assert "扫描" in page


@pytest.mark.parametrize(("waits_s", "is_another_worked_on", "is_told"), [(60, False, True), (5, False, False), (60, True, False)])
def test_sweep_that_nobody_takes_says_that_no_worker_is_there(client, waits_s, is_another_worked_on, is_told):
    waiting, other = ask(), ask(seeds=(8, 9))
    StoredSweep.objects.filter(id=waiting.work_id).update(created_at=Now() - timedelta(seconds=waits_s))
    if is_another_worked_on:
        StoredSweep.objects.filter(id=other.work_id).update(state="running", lease_until=Now() + timedelta(seconds=9))
    page = text_of(client.get(reverse("sim:sweep", args=[waiting.id]), headers=HTMX))
    assert ("none is running" in page) == is_told


def test_sweep_that_waits_says_how_many_are_before_it(client, settings):
    settings.SIM_SWEEPS_PER_OWNER_MAX = 3
    waiting = [ask(seeds=(n,)) for n in (1, 2, 3)]
    told = [re.search(r"Waiting for [^<]*", text_of(client.get(reverse("sim:sweep", args=[row.id]), headers=HTMX)))[0] for row in waiting]
    assert told == ["Waiting for a worker.", "Waiting for 1 earlier sweep.", "Waiting for 2 earlier sweeps."]


def test_queue_is_not_read_for_a_sweep_that_is_being_computed(client, monkeypatch):
    monkeypatch.setattr(sweeps, "sweep_before", None)
    row = fill(ask(), SweepCell(1_000), None, None, None, state="running")
    assert "1 of 4 runs" in text_of(client.get(reverse("sim:sweep", args=[row.id]), headers=HTMX))


def run_of(client, key: str, title: str) -> Run:
    """A run of that visitor, who signs in; all of them have one content."""
    sign_in_as_owner(client, key)
    return make_run(owner_key=key, title=title)


def two_askers(client) -> tuple[Run, str, Run, str]:
    """Two visitors who request the same sweep of equal runs: each one's run and the address of the sweep. The second stays signed in."""
    first = run_of(client, OWNER, "payroll-of-acme")
    first_url = asked_of(client, reverse("sim:run-sweep", args=[first.id])).headers["Location"]
    second = run_of(client, STRANGER, "homework")
    return first, first_url, second, asked_of(client, reverse("sim:run-sweep", args=[second.id])).headers["Location"]


def test_second_asker_is_led_to_no_run_title_or_address_of_the_first(client):
    first, first_url, second, second_url = two_askers(client)
    page = text_of(client.get(second_url))
    assert first_url != second_url and first_url not in page
    assert "payroll-of-acme" not in page and str(first.id) not in page
    assert "homework" in page and reverse("sim:run", args=[second.id]) in page
    assert first_url not in text_of(client.get("/sweeps/"))


def test_each_asker_stops_only_their_own(client):
    _, first_url, _, second_url = two_askers(client)
    assert client.post(f"{first_url}control/", {"do": "stop"}).status_code == 422
    assert "Stop sweep" not in text_of(client.get(first_url))
    sign_in_as_owner(client, OWNER)
    assert client.post(f"{first_url}control/", {"do": "stop"}).status_code == 302
    assert "was stopped by" in text_of(client.get(first_url))
    sign_in_as_owner(client, STRANGER)
    assert "Stop sweep" in text_of(client.get(second_url))


def test_first_asker_stops_what_was_stopped_and_another_went_on_with(client):
    sign_in_as_owner(client, OWNER)
    control, fields = "{}control/", {"do": "stop"}
    first = make_run(owner_key=OWNER, title="mine")
    first_url = asked_of(client, reverse("sim:run-sweep", args=[first.id])).headers["Location"]
    client.post(control.format(first_url), fields)
    second = run_of(client, STRANGER, "homework")
    asked_of(client, reverse("sim:run-sweep", args=[second.id]))
    sign_in_as_owner(client, OWNER)
    client.post(control.format(first_url), {"do": "again"})
    assert client.post(control.format(first_url), fields).status_code == 302


def test_stranger_is_not_offered_to_go_on_and_cannot(client):
    sign_in_as_owner(client, OWNER)
    url = asked_of(client, reverse("sim:run-sweep", args=[make_run().id])).headers["Location"]
    client.post(f"{url}control/", {"do": "stop"})
    sign_in_as_owner(client, STRANGER)
    assert "Compute missing cells" not in text_of(client.get(url))
    assert client.post(f"{url}control/", {"do": "again"}).status_code == 422
    assert "was stopped by" in text_of(client.get(url))


def test_staff_see_who_asked_for_nothing_and_delete_cells_with_their_last_ask(admin_client):
    first, second = fill(ask(), *[SweepCell(7)] * 4), ask(owner=STRANGER)
    listed = text_of(admin_client.get("/admin/simulator/sweepask/"))
    assert f"/admin/simulator/sweepask/{first.id}/change/" in listed and "4" in listed
    assert hash_key(OWNER) not in text_of(admin_client.get(f"/admin/simulator/sweepask/{first.id}/change/"))
    admin_client.post(f"/admin/simulator/sweepask/{first.id}/delete/", {"post": "yes"})
    assert (SweepAsk.objects.count(), StoredSweep.objects.count()) == (1, 1)
    chosen = {"action": "delete_selected", "_selected_action": second.id, "post": "yes"}
    admin_client.post("/admin/simulator/sweepask/", chosen)
    assert (SweepAsk.objects.count(), StoredSweep.objects.count()) == (0, 0)
