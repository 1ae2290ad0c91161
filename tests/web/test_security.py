"""Promises of docs/security.md that no other test checks: who may change what, and that no text becomes markup."""

import gzip
import json

import pytest
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import get_resolver, reverse

from simulator.engine.acts.containers.exec import ExecInContainer
from simulator.models import Run, SweepAsk
from simulator.runs.services.commands import command_submit
from simulator.runs.services.shares import share_create
from simulator.web.base.common import TABS
from tests.factories import OWNER, STRANGER, make_content, make_run, pod_json
from tests.runs.services.test_sweeps import ask
from tests.web.helpers import play, sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db

EVIL = "\"'></script><img src=x onerror=alert(1)>{{7*7}}"
"""A text that tries to be markup, the end of an attribute, the end of a script and a template."""
HTMX = {"HX-Request": "true"}
VALUES = {
    "slug": "hello-pod",
    "share_id": "abc",
    "code": "abcdef",
    "sweep_id": "abc",
    "minor": "1.33",
    "kind": "pod",
    "tab": "why",
    "seq": 0,
}
VALUES |= {
    "namespace": "default",
    "name": "web",
    "language": "en",
    "digest": "abc",
    "step": "try-1",
    "level_id": "abc",
    "course_id": "abc",
    "ask_id": "a",
    "track": "basics",
    "member_id": 1,
}


def addresses(run):
    """Every address of the site, with something in place of each parameter."""
    values = VALUES | {"run_id": run.id, "other_id": run.id}
    for pattern in get_resolver("simulator.web.urls").url_patterns:
        yield reverse(f"sim:{pattern.name}", kwargs={name: values[name] for name in pattern.pattern.converters})
    yield from ("/admin/login/", "/admin/simulator/run/add/", "/i18n/setlang/")


SIGNED = {"/lti/login/", "/lti/launch/"}
"""Posts that come from other sites: their content is signed (tests/web/lti); there are none if LTI is off, as here."""


def test_every_post_without_a_token_is_refused():
    client = Client(enforce_csrf_checks=True)
    paths = [path for path in addresses(make_run()) if path not in SIGNED]
    assert {path: status for path in paths if (status := client.post(path, {}).status_code) != 403} == {}
    assert len(paths) > 40


def test_every_post_of_another_site_is_refused_though_it_has_the_token():
    client = Client(enforce_csrf_checks=True)
    client.get("/new/")
    token = client.cookies["csrftoken"].value
    paths = [path for path in addresses(make_run()) if path not in SIGNED]
    answers = {path: client.post(path, {"csrfmiddlewaretoken": token}, HTTP_ORIGIN="https://evil.example").status_code for path in paths}
    assert set(answers.values()) == {403}


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", ""])
def test_every_page_asked_for_under_another_name_is_refused(host):
    run = make_run()
    paths = [path for path in addresses(run) if not path.startswith(("/healthz", "/rules/", "/lti/"))]
    assert {Client().get(path, headers={"host": host}).status_code for path in paths} == {400}


def frozen_state(run):
    return list(Run.objects.filter(id=run.id).values("controls", "is_paused", "base_ms", "rate_permille", "state", "title", "steps_asked"))


@pytest.mark.parametrize("who", ["stranger", "nobody", "forger"])
def test_run_of_somebody_else_stays_as_it_is(client, who):
    run = play(make_run(), 10_000)
    if who == "stranger":
        sign_in_as_owner(client, STRANGER)
    elif who == "forger":
        client.cookies["podscope_owner"] = OWNER  # the key itself, not signed by this site
    before = frozen_state(run)
    for do in ("play", "pause", "rate", "step", "run_to"):
        assert client.post(reverse("sim:run-control", args=[run.id]), {"do": do, "rate": "2000", "to_ms": "60000"}).status_code == 422
    answer = client.post(reverse("sim:run-kubectl", args=[run.id]), {"k": "delete pod web", "client_key": "12345678"}, headers=HTMX)
    assert answer.json()["url"] and str(run.id) not in answer.json()["url"]  # a branch of the visitor's own
    assert (frozen_state(run), run.commands.count()) == (before, 0)


def test_sweep_of_somebody_else_is_not_stopped(client):
    row = ask()
    sign_in_as_owner(client, STRANGER)
    assert client.post(reverse("sim:sweep-control", args=[row.id]), {"do": "stop"}).status_code == 422
    assert SweepAsk.objects.get(id=row.id).state == row.state


def test_link_of_a_run_gives_nobody_control_of_it(client):
    run = play(make_run(), 10_000)
    frozen = client.get(reverse("sim:share", args=[share_create(run=run).id])).context["run"]
    sign_in_as_owner(client)
    assert client.post(reverse("sim:run-control", args=[frozen.id]), {"do": "play"}).status_code == 422


@pytest.fixture
def evil():
    """A run in which every text tries to be markup."""
    pod = json.loads(pod_json(command=("sh", "-c", f"echo {json.dumps(EVIL)}; sleep 3600")))
    pod["metadata"]["annotations"] = {"note": EVIL}
    pod["spec"]["containers"][0] |= {"env": [{"name": "EVIL", "value": EVIL}], "workingDir": "/" + EVIL}
    run = play(make_run(content=make_content(json.dumps(pod)), title=EVIL), 10_000)
    command_submit(
        run=run,
        owner_key=OWNER,
        client_key="12345678",
        command=ExecInContainer(target="default/web", container="app", command=("echo", EVIL)),
    )
    return play(run, 20_000)


def is_clean(answer):
    """Whether no browser takes the text for markup: it is escaped, or in JSON that no browser takes for a page."""
    if answer["Content-Type"].startswith("application/json"):
        return answer["X-Content-Type-Options"] == "nosniff"
    return "<img src=x" not in text_of(answer) and "</script><img" not in text_of(answer)


def test_no_text_of_a_run_becomes_markup(client, evil):
    sign_in_as_owner(client)
    share = share_create(run=evil)
    paths = [reverse("sim:run", args=[evil.id]), reverse("sim:share", args=[share.id]), reverse("sim:embed", args=[share.id])]
    query = {"t": "15", "sel": EVIL, "part": EVIL, "notes": EVIL, "q": EVIL, "lang": EVIL, "tab": "kubectl", "k": f"get pod {EVIL}"}
    for path in paths:
        page = client.get(path, query)
        assert page.status_code == 200 and is_clean(page)


@pytest.mark.parametrize("tab", TABS)
def test_no_text_of_a_panel_becomes_markup(client, evil, tab):
    sign_in_as_owner(client)
    path = reverse("sim:run-panel", args=[evil.id, evil.head_seq, tab])
    for subject in ("pod/default/web", "container/default/web/app", EVIL):
        answer = client.get(path, {"sel": subject, "k": f"logs web {EVIL}", "part": EVIL}, headers=HTMX)
        assert answer.status_code < 500 and is_clean(answer)


def test_what_is_given_as_json_is_never_taken_for_a_page(client, evil):
    answer = client.get(reverse("sim:run-records", args=[evil.id]))
    assert EVIL.encode()[-20:-8] in answer.content
    assert (answer["Content-Type"], answer["X-Content-Type-Options"]) == ("application/json", "nosniff")


@pytest.mark.parametrize("name", ["sim:new", "sim:import", "sim:open", "sim:manifest-check"])
def test_text_that_is_refused_comes_back_as_text(client, name):
    fields = {"manifest": f"kind: {EVIL}\n  a: [", "text": f"kind: {EVIL}\n a: [", "kubernetes": EVIL, "title": EVIL, "seed": EVIL}
    answer = client.post(reverse(name), fields)
    assert answer.status_code in {200, 400, 422} and is_clean(answer)


@pytest.mark.parametrize("name", ["sim:import", "sim:open"])
@pytest.mark.parametrize("body", [gzip.compress(bytes(50_000_000)), bytes(range(256)) * 100, b"a: &a [x]\nb: " + b"*a," * 5000], ids=len)
def test_uploaded_file_is_text_or_refused_and_never_unpacked(client, name, body):
    answer = client.post(reverse(name), {"file": SimpleUploadedFile("pods.yaml.gz", body, "application/gzip")})
    assert answer.status_code == 422 and is_clean(answer)


def test_uploaded_file_of_another_name_is_kept_nowhere(client, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    client.post(reverse("sim:import"), {"file": SimpleUploadedFile("../../evil.html", EVIL.encode())})
    assert list(tmp_path.iterdir()) == []


def test_new_site_has_no_account():
    assert get_user_model().objects.count() == 0


@pytest.mark.parametrize("path", ["run", "sharedscenario", "scenario", "sweepask", "keptprogress"])
def test_admin_is_closed_to_everybody_except_staff(client, path):
    client.force_login(get_user_model().objects.create_user("somebody", password="a-long-password"))
    assert client.get(f"/admin/simulator/{path}/").status_code == 302


def test_admin_changes_no_run_and_shows_no_key(client):
    run = make_run()
    client.force_login(get_user_model().objects.create_superuser("staff", password="a-long-password"))
    path = f"/admin/simulator/run/{run.id}/change/"
    assert client.post(path, {"title": "another"}).status_code == 403
    assert run.owner_hash not in text_of(client.get(path))


def test_every_page_carries_the_headers_that_browsers_heed(client):
    answer = client.get("/new/")
    wanted = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin"}
    assert {name: answer.headers.get(name) for name in wanted} == wanted
    assert answer.headers["X-Frame-Options"] == "DENY"


def test_cookies_are_kept_from_other_sites(client):
    client.get("/new/")
    client.post(reverse("sim:new"), {"manifest": pod_json(), "kubernetes": "1.33", "seed": "1"})
    morsels = {name: (morsel["samesite"], bool(morsel["httponly"])) for name, morsel in client.cookies.items()}
    assert morsels["podscope_owner"] == ("Lax", True)
    assert {samesite for samesite, _ in morsels.values()} == {"Lax"}


@pytest.mark.parametrize(
    ("method", "path", "fields"),
    [
        ("get", "/admin/?a=" + "b" * 20_000, {}),
        ("post", "/new/", {f"file{n}": SimpleUploadedFile("a", b"a") for n in range(9)}),
        ("post", "/class/", {f"field{n}": "a" for n in range(300)}),
    ],
    ids=["a long redirect", "many files", "many fields"],
)
def test_request_that_is_refused_as_suspicious_takes_one_line_of_the_log(client, caplog, method, path, fields):
    assert getattr(client, method)(path, fields or None).status_code == 400
    assert [record.exc_info for record in caplog.records if record.name.startswith("django.security")] == [None]
