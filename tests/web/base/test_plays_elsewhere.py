"""The web process of a site plays nothing: whatever must be played goes to page workers, and read-only requests stay."""

import asyncio
import pickle
from contextlib import contextmanager

import pytest
from asgiref.sync import sync_to_async
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from simulator.engine.course.replay import Course
from simulator.manifests.check import check
from simulator.models import RecordChunk, Run
from simulator.runs.live.hub import Hub
from simulator.runs.log import storage, timemachine
from simulator.runs.services.shares import share_create
from simulator.web.base import guards
from simulator.web.base.page_workers import Lost, TookTooLong, _to_pickle
from simulator.web.pictures import thumbnail
from simulator.web.urls import urlpatterns
from tests.factories import make_run
from tests.runs.log.kept import old_run
from tests.web.helpers import POD, play, sign_in_as_owner, text_of

pytestmark = pytest.mark.django_db(transaction=True)

BY_WORKER = "by a worker"
KEY = "12345678-act"
ACT = {"do": "delete_pod", "target": "default/web", "client_key": KEY}


class Workers:
    """A stand-in for the processes: records its requests, and may play."""

    def __init__(self):
        self.asked, self.called, self.may_play = [], [], False
        self.failure = None

    def answer(self, request, *, key, is_aside):
        self.asked.append(_to_pickle(request))  # as transferred
        return HttpResponse(BY_WORKER)

    def call(self, function, *args, key="", is_aside=False):
        if self.failure is not None:
            raise self.failure
        self.called.append(function.__name__)
        pickle.dumps((function, args))
        with self.playing():
            return function(*args)

    @contextmanager
    def playing(self):
        """Inside the block this process is a worker."""
        self.may_play, ask = True, guards.elsewhere._ask
        guards.elsewhere.leave_to(None)
        try:
            yield
        finally:
            guards.elsewhere.leave_to(ask)
            self.may_play = False


@pytest.fixture
def web(monkeypatch):
    """This process serves a site with page workers: the engine and the checks fail in it. Returns the workers."""
    workers = Workers()

    def only_in_workers(owner, name):
        real = getattr(owner, name)

        def guarded(*args, **kwargs):
            assert workers.may_play, f"{name} in the web process"
            return real(*args, **kwargs)

        monkeypatch.setattr(owner, name, guarded)

    for name in ("__init__", "fork", "drive"):
        only_in_workers(Course, name)
    only_in_workers(check, "_check_document")
    monkeypatch.setattr(thumbnail, "_KNOWN", dict(thumbnail._KNOWN))
    guards.hand_over_to(workers)
    yield workers
    guards.hand_over_to(None)


def sound():
    return play(make_run(), 60_000)


def torn(run=None):
    """A run whose log has lost the first of several chunks."""
    run = run or sound()
    RecordChunk.objects.filter(run=run).order_by("first_seq").first().delete()
    return run


PATHS = [
    ("run-records", torn, None),
    ("run-share", torn, {"t": 1000}),
    ("run-branch", torn, {"seq": 3}),
    ("run-control", old_run, {"do": "play"}),
    ("run-control", old_run, {"do": "step"}),
    ("run-commands", old_run, ACT),
]
"""Views of a run that only read or append, a run for which something has to be played, and their parameters."""


def ask(client, name, run, fields):
    path = reverse(f"sim:{name}", args=[run.id])
    return client.get(path) if fields is None else client.post(path, fields)


@pytest.fixture
def owner(client):
    sign_in_as_owner(client)
    return client


@pytest.mark.parametrize(("name", "make", "fields"), PATHS)
def test_request_for_which_something_is_played_goes_to_a_worker(owner, request, name, make, fields):
    run, count = make(), Run.objects.count()
    workers = request.getfixturevalue("web")
    assert text_of(ask(owner, name, run, fields)) == BY_WORKER
    (asked,) = workers.asked
    assert (asked.environ["PATH_INFO"], Run.objects.count() - count) == (reverse(f"sim:{name}", args=[run.id]), 0)
    assert fields is None or all(str(value) in asked.body.decode() for value in fields.values())


@pytest.mark.parametrize(("name", "make", "fields"), PATHS)
def test_the_same_request_stays_where_nothing_is_to_be_played(owner, request, name, make, fields):
    run = sound()
    workers = request.getfixturevalue("web")
    assert ask(owner, name, run, fields).status_code in (200, 204, 302)
    assert (workers.asked, workers.called) == ([], [])


def test_clock_of_a_run_of_another_revision_is_stopped_without_a_worker(owner, request):
    run = old_run()
    workers = request.getfixturevalue("web")
    assert (ask(owner, "run-control", run, {"do": "pause"}).status_code, workers.asked) == (302, [])


def test_key_that_a_request_made_is_void_when_a_worker_answers_it(client, request):
    run = torn()
    request.getfixturevalue("web")
    assert text_of(ask(client, "run-branch", run, {"seq": 3})) == BY_WORKER
    assert not client.cookies


# ---- pictures of stories -----------------------------------------------------------------------------------------
def test_pictures_are_asked_of_a_worker_once_and_kept(client, stories, web):
    thumbnail._KNOWN.clear()
    for _ in range(2):
        assert 'class="ln-' in text_of(client.get(reverse("sim:scenario", args=["hello-pod"])))
    assert web.called == ["pictures_of"] and list(thumbnail._KNOWN) == ["hello-pod"]
    for _ in range(2):
        assert 'class="ln-' in text_of(client.get(reverse("sim:scenarios"), {"q": "CrashLoopBackOff"}))
    assert (web.called, web.asked) == (["pictures_of"] * 2, [])


@pytest.mark.parametrize(("failure", "said"), [(Lost("exit code -9"), "was lost"), (TookTooLong(), "longer than")])
@pytest.mark.parametrize("path", ["/scenarios/", "/scenarios/hello-pod/"])
def test_page_whose_pictures_no_worker_could_draw_says_so_and_when_to_come_back(client, stories, web, path, failure, said):
    thumbnail._KNOWN.clear()
    web.failure = failure
    response = client.get(path)
    assert (response.status_code, said in text_of(response), response["Retry-After"]) == (503, True, "5")


# ---- sockets -----------------------------------------------------------------------------------------------------
async def test_frame_of_a_torn_log_comes_from_a_worker_who_mends_it(request):
    run = await sync_to_async(sound)()
    records = await sync_to_async(storage.read)(run.id, after=0, limit=1000)
    await sync_to_async(torn)(run)
    workers = request.getfixturevalue("web")
    mine = Hub(run.id, None)
    seq, text = await asyncio.wait_for(mine.frame_after(0), 20)
    assert (workers.called, seq) == (["mended_frame"], records[-1].seq)
    mine._frames.clear()
    assert await mine.frame_after(0) == (seq, text)  # read here, without a worker
    assert workers.called == ["mended_frame"]


def test_records_that_are_lost_for_good_are_told_across_processes():
    lost = timemachine.LostRecords(make_run(), [(3, 5), (9, 9)], is_kept=True)
    copy = pickle.loads(pickle.dumps(lost))
    assert (str(copy), copy.gaps, copy.is_kept) == (str(lost), lost.gaps, True)


# ---- every page --------------------------------------------------------------------------------------------------
def addresses(runs, share):
    """Every address of the site, those of runs for each of these."""
    known = {
        "share_id": share.id, "slug": "hello-pod", "code": "abcdef", "sweep_id": "none", "step": "try-1", "tab": "why", "seq": 3,
        "kind": "pod", "namespace": "default", "name": "web", "minor": "1.33", "language": "en", "digest": "none", "other_id": runs[0].id,
        "level_id": "none", "course_id": "none", "ask_id": "none", "member_id": 1, "track": "basics",
    }  # fmt: skip
    for pattern in urlpatterns:
        names = pattern.pattern.converters
        for run in runs if "run_id" in names else runs[:1]:
            yield reverse(f"sim:{pattern.name}", kwargs={name: run.id if name == "run_id" else known[name] for name in names})


FORMS = [
    ACT | {"at_seq": 3},
    {"do": "play", "t": 1000, "k": "kubectl get pods", "manifest": POD, "client_key": KEY},
    {"do": "run_to", "to_ms": 10_000_000, "seq": 3, "at_ms": 1000},
]


def test_nothing_is_played_or_checked_in_the_web_process_on_any_page(stories, request):
    runs = [sound(), old_run(), torn()]
    share = share_create(run=runs[0])
    workers = request.getfixturevalue("web")
    client = Client()
    sign_in_as_owner(client)
    thumbnail._KNOWN.clear()
    asked = [*addresses(runs, share)]
    for path in asked:
        assert client.get(path).status_code != 500
        for fields in FORMS:
            assert client.post(path, fields).status_code != 500
            assert client.post(path, fields | {"file": SimpleUploadedFile("a.yaml", POD.encode())}).status_code != 500
    assert len(asked) > 80 and len(workers.asked) > len(asked)
