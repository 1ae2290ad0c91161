"""Progress kept by the site: access, how nickname and phrase are stored, and what is refused."""

import json

import pytest
from django.test import Client
from django.urls import reverse

from lifecycle_site.throttle import Allowances
from simulator.models import KeptProgress
from simulator.runs.log.wall import from_wall_ms
from simulator.runs.services import progress
from simulator.runs.services.errors import Refused
from simulator.web.levels import kept_progress
from tests.web.helpers import text_of

pytestmark = pytest.mark.django_db
ITERATIONS = progress.ITERATIONS
NICKNAME, PHRASE = "Kim", "seven green umbrellas"
PASSED = {"levels": {"let-it-finish": {"passed": "2026-11-02", "acts": 1, "tries": 2}}}


@pytest.fixture(autouse=True)
def allowed(settings, monkeypatch):
    """The operator allows it; only one test uses the real, slow hash."""
    settings.SIM_PROGRESS = True
    monkeypatch.setattr(kept_progress, "TRIES", Allowances(burst_s=kept_progress.WINDOW_S))
    monkeypatch.setattr(progress, "ITERATIONS", 1)


def opened(client, nickname=NICKNAME, phrase=PHRASE, **more):
    return client.post(reverse("sim:progress-open"), {"nickname": nickname, "phrase": phrase}, **more)


def synced(client, token, do="keep", document=None):
    fields = {"token": token, "do": do} | ({} if document is None else {"document": json.dumps(document)})
    return client.post(reverse("sim:progress-sync"), fields)


def token_of(client, *names):
    return opened(client, *names).json()["token"]


def test_doors_are_closed_unless_the_operator_opens_them(client, settings):
    settings.SIM_PROGRESS = False
    assert (opened(client).status_code, synced(client, progress.progress_token("a")).status_code) == (404, 404)
    assert "data-site-progress" not in text_of(client.get("/levels/"))


def test_page_offers_it_where_it_is_allowed(client):
    assert "data-site-progress" in text_of(client.get("/levels/"))


def test_progress_comes_to_another_browser(client):
    assert synced(client, token_of(client), document=PASSED).json()["new"] is True
    other = Client()
    found = synced(other, token_of(other, "  KIM ", "Seven  green\tUmbrellas"), "fetch").json()
    assert (found["progress"]["levels"], found["new"]) == (PASSED["levels"], False)


def test_two_browsers_that_keep_add_to_each_other(client):
    synced(client, token_of(client), document=PASSED)
    both = synced(Client(), token_of(client), document={"levels": {"cold-start": {"tries": 1}}}).json()["progress"]["levels"]
    assert both == PASSED["levels"] | {"cold-start": {"tries": 1}}
    assert KeptProgress.objects.count() == 1


def test_wrong_phrase_and_unknown_nickname_are_answered_alike(client):
    synced(client, token_of(client), document=PASSED)
    wrong, unknown = token_of(client, NICKNAME, "seven green umbrella"), token_of(client, "Lee", PHRASE)
    answers = [synced(client, token, "fetch") for token in (wrong, unknown)]
    assert [(answer.status_code, answer.content) for answer in answers] == [(200, b'{"progress":null}')] * 2


def test_learners_may_share_a_nickname(client):
    synced(client, token_of(client), document=PASSED)
    assert synced(client, token_of(client, NICKNAME, "four quiet afternoons")).json() == {
        "progress": {"levels": {}, "asks": {}, "stories": {}, "exams": {}},
        "new": True,
    }


def test_neither_nickname_nor_phrase_is_stored(client):
    synced(client, token_of(client), document=PASSED)
    row = KeptProgress.objects.values().get()
    stored = " ".join(map(str, row.values())).casefold()
    assert all(word not in stored for word in (NICKNAME.casefold(), *PHRASE.split()))


def test_key_stays_what_it_is_and_is_slow(settings, monkeypatch):
    monkeypatch.setattr(progress, "ITERATIONS", ITERATIONS)
    settings.SECRET_KEY = "a secret of a test"
    assert progress.progress_key("kim", PHRASE) == "Zeqb5XccV+qmPrB+ApVNoOwQiOsPUEV+HMhJJB4R5jo="


def test_key_depends_on_the_site(settings):
    keys = set()
    for secret in ("one site", "another site"):
        settings.SECRET_KEY = secret
        keys.add(progress.progress_key("kim", PHRASE))
    assert len(keys) == 2


def test_progress_is_deleted_and_may_begin_again(client):
    token = token_of(client)
    synced(client, token, document=PASSED)
    assert (synced(client, token, "forget").json(), KeptProgress.objects.count()) == ({"progress": None}, 0)
    assert synced(client, token, "forget").json() == synced(client, token, "fetch").json() == {"progress": None}


OF_ANOTHER_SALT = pytest.param(progress.signing.dumps("key", salt="another"), id="of another salt")  # contains the time: not stable


@pytest.mark.parametrize("token", ["", "a", "kim:1abc:def", OF_ANOTHER_SALT, "\x00", "x" * 100_000])
def test_token_that_this_site_did_not_give_opens_nothing(client, token):
    assert synced(client, token).status_code == 403


def test_token_becomes_too_old(client, monkeypatch):
    token = token_of(client)
    monkeypatch.setattr(progress, "TOKEN_S", -1)
    assert synced(client, token).status_code == 403


@pytest.mark.parametrize(
    ("nickname", "phrase"),
    [
        ("", PHRASE), ("k", PHRASE), ("k" * 41, PHRASE), ("k" * 100_000, PHRASE), ("\u200b\u200b\u200b", PHRASE), ("\x00\x00", PHRASE),
        (NICKNAME, ""), (NICKNAME, "short"), (NICKNAME, "a" * 20), (NICKNAME, "ab " * 80), (NICKNAME, " " * 50), (NICKNAME, "\ufdfa" * 30),
    ],
)  # fmt: skip
def test_nickname_and_phrase_have_bounds(client, nickname, phrase):
    answer = opened(client, nickname, phrase)
    assert (answer.status_code, len(answer.json()["error"]) > 20) == (400, True)


@pytest.mark.parametrize("nickname", ["Ｋｉｍ", "kim", "KIM", " Kim\u200b "])
def test_nickname_that_reads_the_same_is_the_same(nickname):
    assert progress.check_names(nickname, PHRASE)[0] == "kim"


def test_nickname_of_a_letter_with_two_is_bounded_after_it_is_folded():
    with pytest.raises(Refused):
        progress.check_names("ß" * 21, PHRASE)


@pytest.mark.parametrize("document", ["{", "[]", '{"levels": 1}', '{"levels": {"a": {"passed": "x"}}}', "[" * 5000, "x" * 200_000])
def test_invalid_progress_is_refused_and_changes_nothing(client, document):
    token = token_of(client)
    synced(client, token, document=PASSED)
    answer = client.post(reverse("sim:progress-sync"), {"token": token, "do": "keep", "document": document})
    assert (answer.status_code, "This is not a progress document" in answer.json()["error"]) == (400, True)
    assert synced(client, token, "fetch").json()["progress"]["levels"] == PASSED["levels"]


def test_unknown_request_is_refused(client):
    assert synced(client, token_of(client), "overwrite").status_code == 400


def test_kept_progress_stays_bounded(client):
    token = token_of(client)
    for n in range(3):
        many = {"asks": {f"{n}-{i}": {"right": 0, "due": 1, "text": "a" * 500} for i in range(100)}}
        answer = synced(client, token, document=many)
    assert (answer.status_code, "more progress than" in answer.json()["error"]) == (400, True)


def test_address_that_tries_too_many_is_told_to_wait_and_others_are_not(client, settings):
    settings.SIM_PROGRESS_TRIES_MAX = 3
    answers = [opened(client, phrase=f"a phrase of number {n}") for n in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert int(answers[-1]["Retry-After"]) > 100
    assert opened(client, REMOTE_ADDR="192.0.2.7").status_code == 200


def test_large_form_cannot_be_tried_in_a_process_that_counts_for_itself(client):
    answer = client.post(reverse("sim:progress-open"), {"nickname": NICKNAME, "phrase": PHRASE, "more": "x" * 20_000})
    assert answer.status_code == 400


def test_address_begins_so_many_and_no_more(client, monkeypatch):
    monkeypatch.setattr(progress, "PER_ADDRESS_MAX", 1)
    first, second = token_of(client), token_of(client, "Lee", PHRASE)
    assert [synced(client, token).status_code for token in (first, second, first)] == [200, 400, 200]


def test_progress_that_nobody_asks_for_is_forgotten(client):
    token = token_of(client)
    synced(client, token, document=PASSED)
    assert progress.progress_prune(days=30) == 0
    KeptProgress.objects.update(changed_at=from_wall_ms(0))
    assert (progress.progress_prune(days=0), progress.progress_prune(days=30)) == (0, 1)


def test_asking_for_progress_keeps_it(client):
    token = token_of(client)
    synced(client, token, document=PASSED)
    KeptProgress.objects.update(changed_at=from_wall_ms(0))
    synced(client, token, "fetch")
    assert progress.progress_prune(days=30) == 0


@pytest.mark.parametrize("method", ["get", "put", "delete"])
def test_nothing_is_told_to_who_only_looks(client, method):
    assert getattr(client, method)(reverse("sim:progress-sync")).status_code == 405


def test_answers_are_kept_by_no_cache(client):
    assert (opened(client)["Cache-Control"], synced(client, token_of(client))["Cache-Control"]) == ("no-store", "no-store")
