import json
import re

import pytest
from django.test import Client

from simulator.models import Run, RunCommand, SharedScenario
from tests.factories import OWNER, STRANGER, drive, make_content, make_run
from tests.web.helpers import play, sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db(transaction=True)

KEY = "a-key-of-the-page"


@pytest.fixture
def run():
    return play(make_run(), 20_000)


@pytest.fixture
def owner(client):
    sign_in_as_owner(client)
    return client


def act(client, run, *, htmx=True, **fields):
    headers = {"HX-Request": "true"} if htmx else {}
    return client.post(f"/r/{run.id}/commands/", {"client_key": KEY} | fields, headers=headers)


def panel(client, run, tab, **query):
    return text_of(client.get(f"/r/{run.id}/at/{run.head_seq}/panel/{tab}/", query, headers={"HX-Request": "true"}))


def test_run_page_shows_the_present_without_scripts(client, run):
    page = text_of(client.get(f"/r/{run.id}/"))
    assert 'data-role="viewer"' in page and re.search(r'data-tone="ready"[^>]*>Running<', page)


def test_run_page_shows_a_moment(client, run):
    assert re.search(r">Pending<", text_of(client.get(f"/r/{run.id}/", {"t": "0.001"})))


SERVED = json.dumps(
    {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "annotations": {"podscope.dev/load": "rate=5 after=30s"}},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
    }
)


@pytest.mark.parametrize("played_ms", [0, 1000])
def test_run_page_knows_which_services_will_get_requests_from_its_first_moment_on(client, played_ms):
    run = make_run(content=make_content(SERVED))
    if played_ms:
        run = play(run, played_ms)
    assert 'data-loads="default/web"' in client.get(f"/r/{run.id}/").text


def test_run_page_survives_a_mangled_moment(client, run):
    assert client.get(f"/r/{run.id}/", {"t": "NaN", "rec": "x", "tab": "../..", "sel": "pod/%"}).status_code == 200


def test_run_page_offers_acts_to_the_owner(owner, run):
    page = text_of(owner.get(f"/r/{run.id}/"))
    assert 'data-role="owner"' in page and "Force delete pod" in page and "kubectl delete pod web --now" in page


def test_run_page_offers_a_fork_to_a_viewer(client, run):
    page = text_of(client.get(f"/r/{run.id}/"))
    assert "Fork to act" in page and "Force delete pod" not in page


def test_run_page_answers_404_when_unknown(client):
    assert client.get("/r/00000000-0000-4000-8000-000000000000/").status_code == 404


@pytest.mark.parametrize("tab", ["inspector", "why", "events", "yaml", "describe"])
def test_panel_is_a_fragment(owner, run, tab):
    text = panel(owner, run, tab)
    assert text.strip() and "<html" not in text


def test_panel_yaml_shows_the_object(client, run):
    assert "phase: Running" in panel(client, run, "yaml")


def test_panel_describe_reads_like_kubectl(client, run):
    assert re.search(r"Name:\s+web", panel(client, run, "describe"))


def test_panel_events_lists_reasons(client, run):
    assert "Scheduled" in panel(client, run, "events")


def test_panel_resources_explains_the_class(client, run):
    text = panel(client, run, "resources")
    assert "BestEffort" in text and "no: it has no limit" in text and "Downward API" in text


def test_panel_why_leads_from_ready_back_to_the_beginning(client, run):
    text = panel(client, run, "why", sel="condition/default/web/Ready")
    assert text.count("why__step") >= 3 and ">0:00.0<" in text


def test_panel_that_shows_the_same_is_not_sent_again(owner, run):
    """Forms differ only in their tokens, which are invisible."""
    address = f"/r/{run.id}/at/{run.head_seq}/panel/inspector/"
    first = owner.get(address, {"t": run.head_ms})
    again = owner.get(address, {"t": run.head_ms + 1}, HTTP_IF_NONE_MATCH=f"W/{first.headers['ETag']}")
    assert (again.status_code, again.content) == (304, b"")


def test_panel_that_shows_something_else_is_sent(owner, run):
    tag = owner.get(f"/r/{run.id}/at/1/panel/inspector/").headers["ETag"]
    answer = owner.get(f"/r/{run.id}/at/{run.head_seq}/panel/inspector/", HTTP_IF_NONE_MATCH=tag)
    assert answer.status_code == 200 and answer.headers["ETag"] != tag


def test_panel_answers_404_when_unknown(client, run):
    assert client.get(f"/r/{run.id}/at/1/panel/nothing/").status_code == 404


def test_panel_refuses_a_bad_moment(client, run):
    assert client.get(f"/r/{run.id}/at/1/panel/why/", {"t": "-3"}).status_code == 400


def test_records_go_on_after_a_seq(client, run):
    frame = json.loads(client.get(f"/r/{run.id}/records/", {"after": "2"}).content)
    assert frame["from"] == 2 and frame["records"][0][0] == 3 and frame["to"] == run.head_seq


def test_records_refuse_a_bad_number(client, run):
    assert client.get(f"/r/{run.id}/records/", {"after": "-1"}).status_code == 400


ACTS = {
    "delete": {"do": "delete_pod", "target": "default/web"},
    "delete with grace": {"do": "delete_pod", "target": "default/web", "grace_s": "5"},
    "force delete": {"do": "delete_pod", "target": "default/web", "grace_s": "0", "force": "on"},
    "exit": {"do": "exit_container", "target": "default/web", "container": "app", "exit_code": "3"},
    "signal": {"do": "signal_container", "target": "default/web", "container": "app", "signal": "9"},
    "oom": {"do": "oom_container", "target": "default/web", "container": "app"},
    "hang": {"do": "hang_container", "target": "default/web", "container": "app", "hang": "on"},
    "wake": {"do": "hang_container", "target": "default/web", "container": "app"},
    "image": {"do": "set_image", "image": "busybox:1.28"},
}


@pytest.mark.parametrize("name", ACTS)
def test_act_is_queued_and_applied(owner, run, name):
    response = act(owner, run, **ACTS[name])
    play(run, 21_000)
    assert response.status_code == 204 and RunCommand.objects.get().body.startswith('{"do":')


def test_act_says_what_was_done(owner, run):
    drive(run)
    trigger = json.loads(act(owner, run, **ACTS["delete"])["HX-Trigger"])
    assert trigger == {"command:accepted": {"text": "Delete default/web"}}


def test_act_redirects_without_scripts(owner, run):
    response = act(owner, run, htmx=False, **ACTS["delete"])
    assert response.status_code == 302 and response.url.startswith(f"/r/{run.id}/")


def test_page_without_scripts_looks_again_until_the_act_is_answered(owner, run):
    act(owner, run, **ACTS["delete"])
    assert 'http-equiv="refresh"' in owner.get(f"/r/{run.id}/").content.decode()
    RunCommand.objects.update(outcome=RunCommand.Outcome.REFUSED)
    assert 'http-equiv="refresh"' not in owner.get(f"/r/{run.id}/").content.decode()


def test_act_is_taken_once_when_sent_twice(owner, run):
    act(owner, run, **ACTS["delete"])
    act(owner, run, **ACTS["delete"])
    assert RunCommand.objects.count() == 1


def test_act_in_the_past_branches_and_keeps_the_future(owner, run):
    response = act(owner, run, at_ms="5000", at_seq="", **ACTS["delete"])
    branch = Run.objects.get(parent=run)
    assert response["HX-Redirect"].startswith(f"/r/{branch.id}/") and branch.parent_ms == 5000
    assert Run.objects.get(id=run.id).head_seq == run.head_seq


def test_act_of_a_viewer_branches(client, run):
    act(client, run, **ACTS["delete"])
    assert Run.objects.filter(parent=run).count() == 1 and not run.commands.exists()


MALFORMED = [{"do": "explode"}, {"do": "exit_container", "target": "default/web"}, {**ACTS["exit"], "exit_code": "256"}]


@pytest.mark.parametrize("fields", MALFORMED)
def test_act_is_refused_when_malformed(owner, run, fields):
    response = act(owner, run, **fields)
    assert response.status_code == 422 and not RunCommand.objects.exists()


def test_act_needs_a_csrf_token(run):
    assert Client(enforce_csrf_checks=True).post(f"/r/{run.id}/commands/", ACTS["delete"]).status_code == 403


def test_apply_creates_another_pod(owner, run):
    manifest = 'apiVersion: v1\nkind: Pod\nmetadata: {name: api}\nspec: {containers: [{name: a, image: "nginx:1.27"}]}\n'
    response = act(owner, run, do="apply", manifest=manifest)
    play(run, 22_000)
    assert response.status_code == 204 and "api" in panel(owner, run, "inspector")


def test_apply_shows_problems_in_its_form(owner, run):
    response = act(owner, run, do="apply", manifest="kind: Pod\nkind: Pod\n")
    assert response.status_code == 422 and 'id="apply-form"' in text_of(response) and "data-line=" in text_of(response)


def test_apply_shows_problems_on_a_page_without_scripts(owner, run):
    response = act(owner, run, htmx=False, do="apply", manifest="kind: Pod\nkind: Pod\n")
    assert response.status_code == 422 and "<html" in text_of(response)


def control(client, run, **fields):
    return client.post(f"/r/{run.id}/control/", fields, headers={"HX-Request": "true"})


def test_control_changes_the_speed(owner, run):
    drive(run)
    assert control(owner, run, do="rate", rate="4000").status_code == 204
    assert Run.objects.get(id=run.id).rate_permille == 4000


def test_control_pauses(owner, run):
    control(owner, run, do="pause")
    assert Run.objects.get(id=run.id).is_paused


@pytest.mark.parametrize("fields", [{"do": "rate"}, {"do": "rate", "rate": "1"}, {"do": "run_to"}, {"do": "fly"}])
def test_control_refuses_a_missing_or_bad_number(owner, run, fields):
    assert control(owner, run, **fields).status_code == 422


def test_control_is_not_for_viewers(client, run):
    response = control(client, run, do="pause")
    assert response.status_code == 422 and "Fork" in json.loads(response.content)["text"]


def test_branch_belongs_to_whoever_forks(client, run):
    response = client.post(f"/r/{run.id}/branch/", {"t": "5000"})
    branch = Run.objects.get(parent=run)
    assert response.url.startswith(f"/r/{branch.id}/")
    assert 'data-role="owner"' in text_of(client.get(response.url))


def test_branches_are_listed(owner, run):
    owner.post(f"/r/{run.id}/branch/", {"t": "5000"})
    assert "2 branches" in text_of(owner.get(f"/r/{run.id}/"))


def share(client, run, **fields):
    moment = {"t": "12500", "sel": "pod/default/web", "tab": "events"} | fields
    return client.post(f"/r/{run.id}/share/", moment, headers={"HX-Request": "true"})


def test_share_makes_a_link_to_the_moment(owner, run):
    url = json.loads(share(owner, run).content)["url"]
    assert url.endswith(f"/s/{SharedScenario.objects.get().id}/?t=12.5&sel=pod%2Fdefault%2Fweb&tab=events&lang=en")


def test_link_carries_how_the_lanes_are_looked_at(owner, run):
    url = json.loads(share(owner, run, v="-500_30000", fold="default/web").content)["url"]
    assert "&v=-500_30000&fold=default%2Fweb&lang=en" in url


@pytest.mark.parametrize(
    ("fields", "carried"),
    [
        ({"tab": "machine", "part": "sandbox"}, "&tab=machine&part=sandbox&"),
        ({"tab": "kubectl", "k": "get nodes"}, "&tab=kubectl&k=get+nodes&"),
        ({"tab": "kubectl", "k": "cordon node-1", "did": "3"}, "&tab=kubectl&k=cordon+node-1&did=3&"),
        ({"tab": "diff", "pin": "5000", "noise": "1"}, "&tab=diff&pin=5.0&noise=1&"),
    ],
)
def test_link_carries_what_its_tab_is_asked(owner, run, fields, carried):
    assert carried in json.loads(share(owner, run, **fields).content)["url"]


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"tab": "kubectl", "k": "get nodes -o name"}, 'data-line="get nodes -o name"'),
        ({"tab": "diff", "pin": "0"}, "from 0:00.0 (pinned)"),
        ({"tab": "diff", "noise": "1"}, 'data-diff-noise="0" aria-pressed="true"'),
    ],
)
def test_share_page_asks_what_was_asked(owner, run, fields, shown):
    url = json.loads(share(owner, run, **fields).content)["url"].removeprefix("http://testserver")
    assert shown in text_of(Client().get(url, follow=True))


def test_page_without_scripts_shares_what_its_tab_is_asked(owner, run):
    page = text_of(owner.get(f"/r/{run.id}/?t=12&tab=diff&part=some&pin=5.0&noise=1"))
    for name, value in {"part": "some", "pin": "5000", "noise": "1"}.items():
        assert f'<input type="hidden" name="{name}" value="{value}">' in page


def test_share_page_shows_the_moment_to_a_stranger_without_scripts(owner, run):
    url = json.loads(share(owner, run).content)["url"].removeprefix("http://testserver")
    page = text_of(Client().get(url, follow=True))
    assert "t+0:12.5" in page and 'data-tab="events"' in page and "Scheduled" in page and "Play from here" in page


@pytest.mark.parametrize(
    ("query", "sheet"), [("", "inspector"), ("?sel=pod/default/web", "inspector"), ("?tab=kubectl", "drawer"), ("?t=5&rec=3", "drawer")]
)
def test_small_screen_begins_with_the_panel_that_a_link_names(owner, run, query, sheet):
    assert f'data-sheet="{sheet}"' in text_of(owner.get(f"/r/{run.id}/{query}"))


def test_share_page_answers_404_when_unknown(client):
    assert client.get("/s/nothinghere/").status_code == 404


def test_share_is_forked_with_its_lineage(client, owner, run):
    share(owner, run)
    link = SharedScenario.objects.get()
    response = client.post(f"/s/{link.id}/run/", {"t": "12500"})
    fork = Run.objects.get(share=link, is_frozen=False)
    assert response.url == f"/r/{fork.id}/"


def test_owner_keys_are_told_apart(client, run):
    sign_in_as_owner(client, STRANGER)
    assert OWNER != STRANGER and 'data-role="viewer"' in text_of(client.get(f"/r/{run.id}/"))


def test_share_page_forks_the_link_itself(owner, run):
    url = json.loads(share(owner, run).content)["url"].removeprefix("http://testserver")
    link = SharedScenario.objects.get()
    assert text_of(Client().get(url, follow=True)).count(f'action="/s/{link.id}/run/"') == 2


def test_share_of_a_fork_shows_its_lineage(client, owner, run):
    share(owner, run)
    first = SharedScenario.objects.get()
    client.post(f"/s/{first.id}/run/", {"t": "12500"})
    fork = Run.objects.get(share=first, is_frozen=False)
    owner.post(f"/r/{fork.id}/commands/", {"client_key": KEY} | ACTS["delete"])
    second = json.loads(share(owner, play(fork, 30_000)).content)["id"]
    page = text_of(client.get(f"/s/{second}/"))
    assert "Lineage" in page and f"/s/{first.id}/" in page


def test_apply_only_checks_when_asked(owner, run):
    manifest = "apiVersion: v1\nkind: Pod\nmetadata: {name: api}\nspec: {containers: [{name: a, image: nginx}]}\n"
    response = act(owner, run, htmx=False, do="apply", manifest=manifest, check="1")
    assert response.status_code == 200 and 'data-severity="warning"' in text_of(response)
    assert not run.commands.exists()
