"""An external course that opens levels by LTI 1.3, played by a small platform: it logs in, signs messages and accepts grades."""

import json
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import import_module
from importlib.util import find_spec
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pytest

from simulator.bench.faults.servers import NotInstalled
from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Run
from simulator.runs.permissions import read_cookie
from simulator.runs.services.commands import command_submit
from simulator.runs.services.levels import level_share
from tests.door.serving import ENDS_WITHIN_S
from tests.needs import where_installed
from tests.web.helpers import play

pytestmark = pytest.mark.django_db(transaction=True)
CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
AGS = "https://purl.imsglobal.org/spec/lti-ags/"
LEVEL = """
title = "Let it finish"
story = "sixty-fifty-five-ten"
horizon = "120s"

[[check]]
id = "not-cut"
text = "Nobody sends KILL."
never = { machine = "stop", subject = "container/default/shop/*", target = "killed" }

[[check]]
id = "gone"
text = "The pod is gone."
eventually = { machine = "object", subject = "pod/default/shop", target = "gone" }
"""


class FakePlatform:
    """Serves its keys, tokens and scores. ``scores`` are those it received, ``status`` its answer to them."""

    def __init__(self) -> None:
        self.key = import_module("jwcrypto.jwk").JWK.generate(kty="RSA", size=2048, kid="p1", alg="RS256", use="sig")
        self.scores: list[dict] = []
        self.asserted: list[str] = []
        self.status = 200
        self.level = level_share(text=LEVEL, title="Let it finish").id
        platform = self

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer(200, {"keys": [platform.key.export_public(as_dict=True)]})

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                if self.path == "/token":
                    platform.asserted.append(parse_qs(body)["client_assertion"][0])
                    return self.answer(200, {"access_token": "t"})
                platform.scores.append({"path": self.path, "auth": self.headers["Authorization"], **json.loads(body)})
                return self.answer(platform.status, {})

            def answer(self, status: int, found: object) -> None:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(json.dumps(found).encode())

            def log_message(self, *args: object) -> None:
                """Nothing."""

        self.server = HTTPServer(("127.0.0.1", 0), Answers)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        Thread(target=self.server.serve_forever, args=(ENDS_WITHIN_S,), daemon=True).start()

    def config(self, folder) -> str:
        """A configuration of this platform with the tool's keys; its path."""
        tool = import_module("jwcrypto.jwk").JWK.generate(kty="RSA", size=2048)
        (folder / "tool.key").write_bytes(tool.export_to_pem(private_key=True, password=None))
        (folder / "tool.pub").write_bytes(tool.export_to_pem())
        urls = {"auth_login_url": f"{self.url}/auth", "auth_token_url": f"{self.url}/token", "key_set_url": f"{self.url}/keys"}
        keys = {"private_key_file": "tool.key", "public_key_file": "tool.pub"}
        client = {"default": True, "client_id": "podscope", "deployment_ids": ["1"], **urls, **keys}
        (folder / "lti.json").write_text(json.dumps({self.url: [client]}))
        return str(folder / "lti.json")

    def message(self, nonce: str, *, key=None, **claims: object) -> str:
        """A signed message that opens a level for Ada."""
        now = int(time.time())
        endpoint = {"scope": [f"{AGS}scope/score"], "lineitem": f"{self.url}/item/7"}
        body = {"iss": self.url, "aud": "podscope", "sub": "ada", "iat": now, "exp": now + 60, "nonce": nonce}
        body |= {f"{CLAIM}message_type": "LtiResourceLinkRequest", f"{CLAIM}version": "1.3.0", f"{CLAIM}deployment_id": "1"}
        body |= {f"{CLAIM}resource_link": {"id": "r"}, f"{CLAIM}roles": [], f"{CLAIM}custom": {"level": f"~{self.level}"}}
        body |= {f"{CLAIM}target_link_uri": "https://testserver/levels/", f"{AGS}claim/endpoint": endpoint}
        found = {name: value for name, value in (body | claims).items() if value is not None}
        pem = (key or self.key).export_to_pem(private_key=True, password=None)
        return str(import_module("jwt").encode(found, pem, algorithm="RS256", headers={"kid": "p1"}))


@pytest.fixture
def platform(settings, tmp_path):
    with where_installed():
        if find_spec("pylti1p3") is None:
            raise NotInstalled("pylti1p3 is not installed (pip install -r requirements-lti.txt)")
    found = FakePlatform()
    settings.SIM_LTI_CONFIG = found.config(tmp_path)
    yield found
    found.server.shutdown()
    found.server.server_close()


def signed_in(client, platform):
    """State and nonce of a login."""
    answer = client.get("/lti/login/", {"iss": platform.url, "login_hint": "ada", "client_id": "podscope"}, secure=True)
    asked = parse_qs(urlsplit(answer["Location"]).query)
    assert answer["Location"].startswith(f"{platform.url}/auth?") and asked["redirect_uri"] == ["https://testserver/lti/launch/"]
    return asked["state"][0], asked["nonce"][0]


def launched(client, platform, **claims):
    state, nonce = signed_in(client, platform)
    return client.post("/lti/launch/", {"state": state, "id_token": platform.message(nonce, **claims)}, secure=True)


def begun(client, platform, **claims):
    """The run of a launch after its button was pressed."""
    page = client.get(launched(client, platform, **claims)["Location"], secure=True)
    assert "Let it finish" in page.content.decode()
    answer = client.post("/lti/start/", {"launch": page.context["launch"]}, secure=True)
    return play(Run.objects.get(id=answer["Location"].split("/")[2]), 10_000)


def passed(client, run):
    owner = read_cookie(client.cookies["podscope_owner"].value)
    command_submit(run=run, owner_key=owner, command=DeletePod(target="default/shop", grace_s=70), client_key="k")
    play(run, 12_000)
    answer = client.post(f"/r/{run.id}/level/check/", secure=True).json()
    assert answer["passed"]
    return answer


def test_level_that_is_passed_is_graded_in_the_course(client, platform):
    answer = passed(client, begun(client, platform))
    assert answer["grade"] == "Your grade was sent to your course."
    (score,) = platform.scores
    assert (score["path"], score["auth"], score["userId"]) == ("/item/7/scores", "Bearer t", "ada")
    assert score["scoreGiven"] == score["scoreMaximum"] == answer["points_max"]
    keys = client.get("/lti/keys/", secure=True).json()["keys"]
    public = import_module("jwcrypto.jwk").JWK(**keys[0]).export_to_pem()
    assert import_module("jwt").decode(platform.asserted[0], public, algorithms=["RS256"], audience=f"{platform.url}/token")


def test_grade_that_is_not_accepted_is_reported_and_sent_at_the_next_check(client, platform):
    run = begun(client, platform)
    platform.status = 500
    assert "could not be sent" in passed(client, run)["grade"]
    platform.status = 200
    assert "was sent" in client.post(f"/r/{run.id}/level/check/", secure=True).json()["grade"]


def test_attempt_that_fails_is_not_graded(client, platform):
    run = begun(client, platform)
    assert "grade" not in client.post(f"/r/{run.id}/level/check/", secure=True).json()
    assert platform.scores == []


def test_course_without_grades_opens_levels(client, platform):
    assert "grade" not in passed(client, begun(client, platform, **{f"{AGS}claim/endpoint": None}))


def test_level_is_named_by_the_link_where_no_parameter_does(client, platform):
    claims = {f"{CLAIM}custom": None, f"{CLAIM}target_link_uri": f"https://testserver/l/{platform.level}/"}
    assert begun(client, platform, **claims).level == f"~{platform.level}"


def test_message_without_a_level_says_so(client, platform):
    answer = launched(client, platform, **{f"{CLAIM}custom": {"level": "nowhere"}})
    assert (answer.status_code, "no such level" in answer.content.decode()) == (422, True)


def test_launch_begins_one_run_only(client, platform):
    page = client.get(launched(client, platform)["Location"], secure=True)
    answers = [client.post("/lti/start/", {"launch": page.context["launch"]}, secure=True).status_code for _n in range(2)]
    assert (answers, Run.objects.count()) == ([302, 403], 1)


WRONG = {
    "of another issuer": {"iss": "https://elsewhere.example"},
    "for another tool": {"aud": "another"},
    "of another deployment": {f"{CLAIM}deployment_id": "2"},
    "that is over": {"exp": 1_000_000_000},
    "with another nonce": {"nonce": "guessed"},
}


@pytest.mark.parametrize("claims", WRONG.values(), ids=WRONG)
def test_message_is_refused(client, platform, claims):
    state, nonce = signed_in(client, platform)
    message = platform.message(**{"nonce": nonce, **claims})
    assert client.post("/lti/launch/", {"state": state, "id_token": message}, secure=True).status_code == 403


def test_message_signed_by_another_key_is_refused(client, platform):
    other = import_module("jwcrypto.jwk").JWK.generate(kty="RSA", size=2048)
    assert launched(client, platform, key=other).status_code == 403


def test_message_is_good_once(client, platform):
    state, nonce = signed_in(client, platform)
    fields = {"state": state, "id_token": platform.message(nonce)}
    assert [client.post("/lti/launch/", fields, secure=True).status_code for _n in range(2)] == [302, 403]


def test_message_of_another_browsers_login_is_refused(client, platform):
    state, nonce = signed_in(client, platform)
    client.cookies.clear()
    assert client.post("/lti/launch/", {"state": state, "id_token": platform.message(nonce)}, secure=True).status_code == 403


def test_cookies_of_a_login_come_back_with_the_post_of_another_site(client, platform):
    signed_in(client, platform)
    lti = [cookie for name, cookie in client.cookies.items() if name.startswith("lti1p3")]
    assert lti and all((cookie["samesite"], cookie["secure"], cookie["httponly"]) == ("None", True, True) for cookie in lti)


def test_configuration_that_cannot_be_read_is_reported(client, platform, settings, tmp_path):
    (tmp_path / "lti.json").write_text("{")
    assert client.get("/lti/login/").status_code == 403


@pytest.mark.parametrize("path", ["/lti/login/", "/lti/launch/", "/lti/start/", "/lti/keys/"])
def test_there_is_no_lti_without_a_configuration(client, path):
    assert client.get(path).status_code in {404, 405} and client.post(path).status_code in {404, 405}


def test_there_is_no_lti_without_the_package(client, settings, monkeypatch, tmp_path):
    settings.SIM_LTI_CONFIG = str(tmp_path / "lti.json")
    monkeypatch.setattr("simulator.web.base.lti.find_spec", lambda name: None)
    assert client.get("/lti/login/").status_code == client.get("/lti/start/").status_code == client.post("/lti/launch/").status_code == 404
