from threading import Thread
from uuid import UUID

import pytest
from django.db import DatabaseError, IntegrityError, InterfaceError, InternalError, OperationalError
from django.http import HttpResponse
from django.urls import reverse

from lifecycle_site.bodies import BODY_TOO_LARGE
from simulator.runs.log.db import is_away
from simulator.runs.turns.slots import Slots
from simulator.web.base import guards
from simulator.web.base.guards import LIGHT_BYTES
from simulator.web.base.stories import builtin_stories
from simulator.web.door.moments import AskedOf
from simulator.web.pictures.thumbnail import thumbnail_of
from tests.factories import make_run
from tests.web.helpers import POD, sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db

LANGUAGES = ["en", "zh-hans", "zh-hant"]
HTMX = {"HTTP_HX_REQUEST": "true"}


@pytest.fixture
def full(monkeypatch):
    """No slot is free for computing, and nobody may wait."""
    slots = Slots(size=1, waiting_max=0, each_max=0)
    monkeypatch.setattr(guards, "COMPUTING", slots)
    holder = slots.taken("another")
    thread = Thread(target=holder.__enter__)
    thread.start()
    thread.join()
    return holder  # it would release its slot when garbage-collected


def costly_requests(run):
    args = [run.id]
    yield "get", reverse("sim:landing")
    yield "get", reverse("sim:run", args=args)
    yield "get", reverse("sim:run-lens", args=args)
    yield "get", reverse("sim:scenario-lens", args=["hello-pod"])
    yield "get", reverse("sim:run-panel", args=[run.id, 0, "kubectl"])
    yield "get", reverse("sim:run-object", args=[run.id, 0, "Pod", "default", "web"])
    yield "get", reverse("sim:run-pods", args=[run.id, 0])
    yield "get", reverse("sim:manifest-schema", args=["1.33", "pod"])
    yield "get", reverse("sim:share", args=["abc"])
    yield "post", reverse("sim:run-preview", args=args)
    yield "post", reverse("sim:run-commands", args=args)
    yield "post", reverse("sim:manifest-check")
    yield "post", reverse("sim:new")
    yield "post", reverse("sim:import")


@pytest.mark.parametrize("n", range(14))
def test_whatever_computes_is_refused_for_the_moment_when_all_slots_are_taken(client, full, n):
    method, path = [*costly_requests(make_run())][n]
    response = getattr(client, method)(path, {"manifest": POD} if method == "post" else None)
    assert (response.status_code, response["Retry-After"], response["Cache-Control"]) == (503, "5", "no-store")


def test_addresses_of_one_network_wait_for_one_another(rf, monkeypatch):
    asked = []
    monkeypatch.setattr(guards, "COMPUTING", Slots(size=2, waiting_max=0, each_max=0))
    monkeypatch.setattr(guards.COMPUTING, "_may_run", lambda address, now_s: asked.append(address) or True)
    for address in ("2001:db8::1", "2001:db8::ffff:1", "::ffff:192.0.2.1", "192.0.2.1"):
        request = rf.get("/", REMOTE_ADDR=address)
        guards.SlotMiddleware(lambda request: guards.compute(request) or HttpResponse())(request)
    assert (asked[0], asked[2]) == (asked[1], asked[3]) and asked[0] != asked[2]


@pytest.mark.parametrize("name", ["healthz", "scenarios", "new", "import"])
def test_pages_that_only_read_do_not_wait_for_what_computes(client, full, name):
    for story in builtin_stories().values():  # the gallery's pictures are requested once (test_plays_elsewhere.py)
        thumbnail_of(story)
    assert "Retry-After" not in client.get(reverse(f"sim:{name}"))


def test_large_form_takes_a_slot_in_whatever_view_it_arrives(client, full):
    path = reverse("sim:run-control", args=[make_run().id])
    assert client.post(path, {"do": "play"}).status_code != 503
    assert client.post(path, {"do": "play", "more": "x" * LIGHT_BYTES}).status_code == 503


def test_health_is_told_when_no_slot_of_any_kind_is_free(client, monkeypatch, full):
    monkeypatch.setattr(guards, "READING", guards.COMPUTING)
    assert "Retry-After" not in client.get(reverse("sim:healthz"))


def test_slots_are_given_back_whatever_becomes_of_the_request(client, monkeypatch):
    slots = Slots(size=1, waiting_max=0, each_max=0)
    monkeypatch.setattr(guards, "COMPUTING", slots)
    run = make_run()
    sign_in_as_owner(client)
    paths = [reverse("sim:run", args=[run.id]), reverse("sim:share", args=["none"]), reverse("sim:run-lens", args=[run.id])]
    assert [client.get(path).status_code for path in paths] == [200, 404, 200]
    apply = reverse("sim:run-commands", args=[run.id])
    assert [client.post(apply, {"manifest": "]"}).status_code for _ in range(2)] == [422, 422]
    with slots.taken("", patience_s=0):
        pass


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_of_a_busy_site_speaks_the_readers_language(client, full, language):
    pages = {code: text_of(client.get("/", HTTP_ACCEPT_LANGUAGE=code)) for code in LANGUAGES}
    assert len(set(pages.values())) == 3 and f'lang="{language}"' in pages[language].casefold()


def test_busy_site_shows_a_toast_where_a_script_asked(client, full):
    response = client.post(reverse("sim:manifest-check"), **HTMX)
    assert "toast:show" in response["HX-Trigger"] and response["HX-Reswap"] == "none"


def test_body_that_was_refused_is_answered_with_a_page(rf):
    request = rf.post("/")
    request.scope = {BODY_TOO_LARGE: True}
    response = guards.BodyLimitMiddleware(lambda request: HttpResponse())(request)
    assert (response.status_code, "16 MB" in text_of(response)) == (413, True)


def test_body_that_was_read_goes_on(rf):
    request = rf.post("/")
    request.scope = {}
    assert guards.BodyLimitMiddleware(lambda request: HttpResponse())(request).status_code == 200


@pytest.mark.parametrize(
    ("error", "is_so"),
    [
        (OperationalError("database is locked"), True),
        (InterfaceError("connection already closed"), True),
        (InternalError("cannot execute UPDATE in a read-only transaction"), True),
        (DatabaseError("database disk image is malformed"), True),
        (DatabaseError("something else"), False),
        (IntegrityError("UNIQUE constraint failed"), False),
        (ValueError("malformed"), False),
        (None, False),
    ],
)
def test_database_that_is_away_is_told_from_a_mistake(error, is_so):
    assert is_away(error) is is_so


WORDS = [
    ("database is locked", "busy"),
    ("database or disk is full", "full"),
    ("could not extend file: No space left on device", "full"),
    ("attempt to write a readonly database", "not accepting changes"),
    ("connection refused", "unavailable"),
]


@pytest.fixture
def broken(monkeypatch):
    """A database that answers every page with an error."""

    def breaks(words):
        def fail(*args, **kwargs):
            raise OperationalError(words)

        monkeypatch.setattr("simulator.web.gallery.scenarios.scenarios_chosen", fail)
        monkeypatch.setattr("simulator.web.base.common.run_get", fail)

    return breaks


@pytest.mark.parametrize(("words", "said"), WORDS)
def test_page_says_what_is_the_matter_with_the_database(client, broken, words, said):
    broken(words)
    response = client.get(reverse("sim:scenarios"))
    assert (response.status_code, response["Retry-After"], response["Refresh"]) == (503, "10", "10")
    assert said in text_of(response) and "Traceback" not in text_of(response)


def test_page_that_needed_too_much_memory_says_when_to_come_back(client, monkeypatch):
    def fail(**_):
        raise MemoryError

    monkeypatch.setattr("simulator.web.gallery.scenarios.scenarios_chosen", fail)
    response = client.get(reverse("sim:scenarios"))
    assert (response.status_code, response["Retry-After"], response["Cache-Control"]) == (503, "5", "no-store")
    assert "Not available now" in text_of(response) and "more memory" in text_of(response)


def test_act_on_a_database_that_is_away_shows_a_toast(client, broken):
    run = make_run()
    broken("database is locked")
    response = client.post(reverse("sim:run-control", args=[run.id]), {"do": "play"}, **HTMX)
    assert (response.status_code, "toast:show" in response["HX-Trigger"]) == (503, True)


def test_middleware_that_meets_the_database_away_is_answered_with_the_same_page(client, monkeypatch):
    def fail(self):
        raise OperationalError("connection refused")

    client.raise_request_exception = False
    monkeypatch.setattr("django.contrib.sessions.backends.db.SessionStore.load", fail)
    client.cookies["sessionid"] = "a" * 32
    response = client.get("/admin/")
    assert response.status_code == 503 and "unavailable" in text_of(response)


def test_mistakes_have_the_usual_page(client, monkeypatch):
    client.raise_request_exception = False
    monkeypatch.setattr("simulator.web.gallery.scenarios.scenarios_chosen", lambda **_: 1 / 0)
    response = client.get(reverse("sim:scenarios"))
    assert (response.status_code, "Retry-After" in response) == (500, False)


@pytest.mark.parametrize("gives_way", [True, False])
def test_whoever_gives_way_has_it_computed_where_others_are_not_in_the_way(client, monkeypatch, gives_way):
    asked = []

    class Workers:
        def answer(self, request, *, key, is_aside):
            asked.append(is_aside)
            return HttpResponse()

    monkeypatch.setattr(guards, "_workers", Workers())
    monkeypatch.setattr(guards.COMPUTING, "gives_way", lambda address: gives_way)
    client.post(reverse("sim:new"), {"manifest": POD})
    assert asked == [gives_way]


@pytest.mark.parametrize("gives_way", [True, False])
def test_calls_for_whoever_gives_way_are_computed_there_as_well(monkeypatch, gives_way):
    called = []

    class Workers:
        def call(self, function, *args, key, is_aside):
            called.append((function(*args), is_aside))

    monkeypatch.setattr(guards, "COMPUTING", Slots(size=2, waiting_max=1, each_max=1))
    monkeypatch.setattr(guards.COMPUTING, "gives_way", lambda address: gives_way and address == "10.0.0.1")
    with guards.COMPUTING.taken("10.0.0.1"):
        guards._call(Workers(), len, "four")
    assert called == [(4, gives_way)]


@pytest.mark.parametrize(("ordered_s", "charged"), [(0.0, []), (2.5, [("10.0.0.1", 2.5)]), (1_000.0, [("10.0.0.1", 1_000.0)])])
def test_what_a_request_has_ordered_counts_for_its_visitor(rf, monkeypatch, ordered_s, charged):
    found = []
    monkeypatch.setattr(guards.COMPUTING, "charge", lambda address, browser, seconds: found.append((address, seconds)))
    response = HttpResponse()
    response.ordered_s = ordered_s
    guards.SlotMiddleware(lambda request: response)(rf.get("/", REMOTE_ADDR="10.0.0.1"))
    assert found == charged


def test_worker_charges_nobody(rf, monkeypatch):
    monkeypatch.setattr(guards.page_workers, "is_worker", lambda: True)
    monkeypatch.setattr(guards.COMPUTING, "charge", lambda *_: pytest.fail("the web process does"))
    response = HttpResponse()
    response.ordered_s = 1.0
    assert guards.SlotMiddleware(lambda request: response)(rf.get("/")) is response


RUN_ID = UUID("00000000-0000-4000-8000-000000000007")


@pytest.mark.parametrize(
    ("args", "key"),
    [
        ((), ""),
        ((RUN_ID, 3), str(RUN_ID)),
        ((AskedOf(run_id=RUN_ID, at_ms=None, may_write=False, key_id=1, label=""),), str(RUN_ID)),
        (("a",), ""),
    ],
    ids=["nothing", "a run", "what is asked of a run", "something else"],
)
def test_calls_about_one_run_prefer_one_worker(monkeypatch, args, key):
    called = []

    class Workers:
        def call(self, function, *args, key, is_aside):
            called.append(key)

    monkeypatch.setattr(guards, "COMPUTING", Slots(size=2, waiting_max=1, each_max=1))
    guards._call(Workers(), print, *args)
    assert called == [key]
