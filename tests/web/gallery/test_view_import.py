import json

import pytest

from simulator.models import Run
from tests.imports import kubectl
from tests.web.helpers import text_of

pytestmark = pytest.mark.django_db
PAGE = "/new/import/"


def test_page_shows_form_and_both_ways_to_begin(client):
    response = client.get(PAGE)
    assert response.status_code == 200
    assert b'name="text"' in response.content
    assert b'href="/new/"' in response.content


def test_page_of_new_run_leads_to_the_import(client):
    assert b'href="/new/import/"' in client.get("/new/").content


def test_post_starts_a_run_whose_clock_stands_at_the_import(client):
    response = client.post(PAGE, {"text": kubectl.crashing(5), "do": "play"})
    run = Run.objects.get()
    assert response.headers["Location"] == f"/r/{run.id}/"
    assert run.title == "web"
    assert run.base_ms == run.header().past.resume_ms > 600_000


def test_run_page_lists_assumptions(client):
    client.post(PAGE, {"text": kubectl.crashing(5), "do": "play"})
    run = Run.objects.get()
    page = text_of(client.get(f"/r/{run.id}/?t=641"))
    assert "it ends after 2s with exit code 1, as before" in page
    assert "CrashLoopBackOff" in page


def test_run_page_shows_the_past_at_a_moment_before_the_import(client):
    client.post(PAGE, {"text": kubectl.crashing(5), "do": "play"})
    page = text_of(client.get(f"/r/{Run.objects.get().id}/?t=1.9&sel=container/shop/web/app&tab=why"))
    assert "Recorded: the imported text gives its time" in page


def test_why_says_inferred_when_the_text_only_counts(client):
    client.post(PAGE, {"text": kubectl.crashing(5), "do": "play"})
    page = text_of(client.get(f"/r/{Run.objects.get().id}/?t=100&sel=container/shop/web/app&tab=why"))
    assert "Inferred: the imported text" in page


def test_look_shows_what_would_be_assumed_and_starts_nothing(client):
    response = client.post(PAGE, {"text": kubectl.crashing(5), "do": "look"})
    assert response.status_code == 200
    assert b"as before" in response.content
    assert b"after: 2000ms" in response.content
    assert not Run.objects.exists()


def test_changed_behaviours_are_played(client):
    client.post(PAGE, {"text": kubectl.crashing(5), "do": "play", "behaviours": "web: {app: {exit: {after: 1s, code: 9}}}"})
    assert '\\"code\\": 9' in Run.objects.get().header().past.pods[0].document


def test_upload_counts_where_both_are_given(client, tmp_path):
    path = tmp_path / "pods.yaml"
    path.write_text(kubectl.crashing(5))
    with path.open("rb") as file:
        response = client.post(PAGE, {"text": "", "upload": file, "do": "play"})
    assert response.status_code == 302


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"text": ""}, "Paste the kubectl output"),
        ({"text": "a: ["}, "Line 1"),
        ({"text": json.dumps(kubectl.event("Started", "x", 1))}, "this text contains no Pod"),
        ({"text": kubectl.listing({**kubectl.pod(kubectl.running(2)), "status": None})}, "this is a manifest, not a pod from a cluster"),
        ({"text": kubectl.crashing(5), "moment": "noon"}, "not a time such as"),
        ({"text": kubectl.crashing(5), "behaviours": "web: {app: {exit: soon}}"}, "web/app: exit"),
        ({"text": kubectl.crashing(5), "behaviours": "web: {}\n---\nweb: {}"}, "not a YAML map of pods"),
        ({"text": kubectl.crashing(5), "behaviours": "web: {"}, "not a YAML map of pods"),
        ({"text": kubectl.crashing(5), "behaviours": "---"}, "not a YAML map of pods"),
        ({"text": kubectl.crashing(5), "kubernetes": "1.3"}, "valid choice"),
    ],
)
def test_problem_comes_back_with_everything_that_was_typed(client, fields, words):
    response = client.post(PAGE, fields)
    assert response.status_code == 422
    assert words in text_of(response)
    assert not Run.objects.exists()


def test_share_of_an_imported_run_shows_the_same_past(client):
    client.post(PAGE, {"text": kubectl.crashing(5), "do": "play"})
    run = Run.objects.get()
    response = client.post(f"/r/{run.id}/share/", {"t": "1900"}, headers={"accept": "text/html"}, follow=True)
    assert response.status_code == 200


@pytest.mark.parametrize("tab", ["why", "events", "resources", "yaml", "describe", "kubectl"])
@pytest.mark.parametrize("moment", ["0", "1900", "300000", ""])
def test_every_tab_shows_the_imported_pod_at_any_moment(client, tab, moment):
    client.post(PAGE, {"text": kubectl.crashing(5), "do": "play"})
    address = f"/r/{Run.objects.get().id}/?tab={tab}&sel=pod/shop/web" + (f"&t={moment}" if moment else "")
    assert client.get(address).status_code == 200


def test_branch_into_the_past_keeps_the_imported_past(client):
    client.post(PAGE, {"text": kubectl.crashing(5), "do": "play"})
    run = Run.objects.get()
    response = client.post(f"/r/{run.id}/branch/", {"at_ms": "1900", "branch_key": "abcdefgh"})
    assert response.status_code in (200, 201, 302)
    branch = Run.objects.exclude(id=run.id).get()
    assert branch.header() == run.header()


def test_lens_compares_an_imported_run_under_other_versions(client):
    client.post(PAGE, {"text": kubectl.crashing(5), "do": "play"})
    response = client.get(f"/r/{Run.objects.get().id}/lens/?versions=1.20,1.30")
    assert response.status_code == 200


def test_act_before_the_import_is_refused_without_a_branch(client):
    client.post(PAGE, {"text": kubectl.crashing(5), "do": "play"})
    run = Run.objects.get()
    fields = {"do": "delete_pod", "target": "shop/web", "client_key": "a-key-of-eight", "at_ms": "1900"}
    response = client.post(f"/r/{run.id}/commands/", fields)
    assert "cannot be changed" in text_of(response)
    assert Run.objects.count() == 1


def test_act_at_the_moment_of_the_import_goes_to_a_branch_from_there(client):
    client.post(PAGE, {"text": kubectl.crashing(5), "do": "play"})
    run = Run.objects.get()
    resume_ms = run.header().past.resume_ms
    client.post(
        f"/r/{run.id}/commands/", {"do": "delete_pod", "target": "shop/web", "client_key": "a-key-of-eight", "at_ms": str(resume_ms)}
    )
    assert Run.objects.exclude(id=run.id).get().parent_ms == resume_ms


def test_example_can_be_played(client):
    page = client.get(f"{PAGE}?example=1")
    response = client.post(PAGE, {"text": page.context["form"]["text"].value(), "do": "play"})
    assert response.status_code == 302
    assert Run.objects.get().header().kubernetes >= "1.33"


DESCRIBED = "\n".join(
    (
        "Name:         web",
        "Namespace:    shop",
        "Containers:",
        "  app:",
        "    State:          Waiting",
        "      Reason:       ImagePullBackOff",
        "Events:",
        '  Warning  Failed  2m (x9 over 4m)  kubelet  Failed to pull image "nginx:1.99": manifest unknown',
        "",
    )
)


def test_ask_shows_cause_line_and_next_step(client):
    response = client.post(PAGE, {"text": DESCRIBED, "do": "ask"})
    page = text_of(response)
    assert response.status_code == 200
    assert "Most likely cause" in page
    assert "The tag or the image does not exist" in page
    assert "Line 6" in page
    assert "kubectl set image pod/web app=&lt;image&gt; -n shop" in page
    assert 'href="/reasons/?q=ErrImagePull#help-ErrImagePull"' in page
    assert not Run.objects.exists()


def test_ask_offers_a_run_only_where_one_can_begin(client):
    as_run = '<button class="button" form="import-form" name="do" value="play">'
    assert as_run in text_of(client.post(PAGE, {"text": kubectl.crashing(5), "do": "ask"}))
    page = text_of(client.post(PAGE, {"text": DESCRIBED, "do": "ask"}))
    assert as_run not in page
    assert "To open it as a run, paste the output of kubectl get pod,events -o yaml." in page


def test_preview_shows_problems_too(client):
    page = text_of(client.post(PAGE, {"text": kubectl.crashing(5), "do": "look"}))
    assert "CrashLoopBackOff" in page.partition('id="import-form"')[0]
    assert "this is how it would continue" in page


@pytest.mark.parametrize("text", ["hello", "a: [", "kind: ConfigMap\nmetadata: {name: x}\n"])
def test_asking_about_no_pod_is_refused_with_the_line(client, text):
    response = client.post(PAGE, {"text": text, "do": "ask"})
    assert response.status_code == 422
    assert 'id="troubles"' not in text_of(response)
    assert 'class="problems"' in text_of(response)


def test_pasted_markup_is_shown_as_text(client):
    text = DESCRIBED.replace("manifest unknown", "<script>alert(1)</script>")
    body = client.post(PAGE, {"text": text, "do": "ask"}).content.decode()
    assert "&lt;script&gt;alert(1)" in body
    assert "<script>alert(1)" not in body


def test_check_of_manifests_diagnoses_a_pod_of_a_cluster(client):
    fields = {"manifest": kubectl.crashing(5), "kubernetes": "1.34", "seed": "1", "check": "1"}
    page = text_of(client.post("/new/", fields))
    assert 'id="troubles"' in page
    assert "All causes of CrashLoopBackOff" in page
    assert not Run.objects.exists()


def test_check_of_a_mere_manifest_reports_no_trouble(client):
    manifest = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: nginx}]}\n"
    page = text_of(client.post("/new/", {"manifest": manifest, "kubernetes": "1.34", "seed": "1", "check": "1"}))
    assert 'id="troubles"' not in page
