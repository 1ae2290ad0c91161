"""Requests that compute have processes of their own: what a visitor sees when one dies or takes too long, and that nothing else differs."""

import json
import os
import re
import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from http.cookiejar import CookieJar
from http.cookies import SimpleCookie
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from time import sleep
from types import SimpleNamespace
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener
from uuid import UUID

import pytest
from django.http import StreamingHttpResponse

from simulator.bench.processes import children_of
from simulator.runs import announce
from simulator.web import page_workers
from simulator.web.page_workers import ASIDE_NICE, NICE, Answered, Asked, Errand, ErrandDone, PageWorker, PageWorkers, run_errand
from tests.runs.runner.test_serve import served, site, wait_until

__all__ = ["site"]

POD = "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: app, image: 'nginx:1.27'}]}}"


@pytest.fixture(scope="module")
def running(site):
    """The process of a running site with one worker, and its address."""
    with served({**site, "PODSCOPE_WORKERS": "1"}) as both:
        yield both


def workers(process):
    """The page workers of a site: what the fork server made and what runs at a lower priority."""
    return [child for each in children_of(process.pid) for child in children_of(each) if os.getpriority(os.PRIO_PROCESS, child) == NICE]


def status_of(address, path, body=None):
    try:
        with build_opener().open(address + path, body, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        return error.code, error.read().decode()


@contextmanager
def frozen(process):
    """The one worker of a site, which does nothing any more."""
    wait_until(lambda: workers(process))
    (worker,) = workers(process)
    os.kill(worker, signal.SIGSTOP)
    yield worker
    with suppress(ProcessLookupError):
        os.kill(worker, signal.SIGKILL)


def test_worker_that_dies_is_told_and_replaced(running):
    process, address = running
    with frozen(process) as worker, ThreadPoolExecutor(1) as visitor:
        asking = visitor.submit(status_of, address, "fidelity/")
        sleep(0.5)  # the request is on its way to the worker, or waits for it; either way it must be answered
        os.kill(worker, signal.SIGKILL)
        status, text = asking.result()
    assert (status, "was lost" in text) == (503, True)
    assert status_of(address, "fidelity/")[0] == 200
    assert workers(process) != [worker]


def test_gallery_that_has_been_looked_at_needs_no_worker(running):
    process, address = running
    assert status_of(address, "scenarios/")[0] == 200
    with frozen(process):
        assert [status_of(address, path)[0] for path in ("scenarios/", "scenarios/hello-pod/")] == [200, 200]
    wait_until(lambda: status_of(address, "fidelity/")[0] == 200)  # another one has taken its place


def test_worker_mends_the_log_of_which_records_are_asked(running, site):
    _, address = running
    run_id = UUID(re.search(r"/ws/run/([0-9a-f-]+)/", status_of(address, "")[1])[1])
    wait_until(lambda: json.loads(status_of(address, f"r/{run_id}/records/")[1])["to"] > 0)
    first = "FROM simulator_recordchunk WHERE run_id = ? AND first_seq = 1"
    with closing(sqlite3.connect(Path(site["PODSCOPE_DATA_DIR"]) / "podscope.sqlite3", timeout=20)) as database:
        with database:
            assert database.execute(f"DELETE {first}", [run_id.hex]).rowcount == 1
        status, text = status_of(address, f"r/{run_id}/records/")
        assert (status, json.loads(text)["records"][0][0]) == (200, 1)
        assert database.execute(f"SELECT COUNT(*) {first}", [run_id.hex]).fetchone() == (1,)


def test_request_that_takes_too_long_is_ended(site):
    with served({**site, "PODSCOPE_WORKERS": "1", "PODSCOPE_PAGE_S_MAX": "2"}) as (process, address):
        for body in (None, b"manifest=" + b"x" * 3_000_000):  # more than a pipe holds: nobody takes it in
            assert status_of(address, "fidelity/")[0] == 200
            with frozen(process):
                status, text = status_of(address, "fidelity/" if body is None else "new/", body)
            assert (status, "longer than 2 seconds" in text) == (503, True)
        assert status_of(address, "fidelity/")[0] == 200


def test_form_that_a_worker_answers_makes_a_run_of_this_browser(running):
    _, address = running
    jar = CookieJar()
    visit = build_opener(HTTPCookieProcessor(jar))
    visit.open(f"{address}new/", timeout=20).read()
    token = next(cookie.value for cookie in jar if cookie.name == "csrftoken")
    sent = {"manifest": POD, "kubernetes": "1.33", "seed": "1", "csrfmiddlewaretoken": token}
    with visit.open(Request(f"{address}new/", urlencode(sent).encode(), {"Referer": address}), timeout=60) as answer:
        assert "/r/" in answer.url
    owner = next(cookie for cookie in jar if cookie.name == "podscope_owner")
    assert owner.has_nonstandard_attr("HttpOnly")


def test_answer_of_a_worker_has_the_headers_of_the_site(running):
    _, address = running
    with build_opener().open(Request(f"{address}fidelity/", headers={"Accept-Encoding": "gzip"}), timeout=20) as answer:
        headers = answer.headers
    assert "script-src 'self'" in headers["Content-Security-Policy"]
    assert (headers["X-Frame-Options"], headers["Content-Encoding"], headers["Content-Language"]) == ("DENY", "gzip", "en")
    assert len(headers.get_all("Vary")) == 1


def test_workers_end_with_the_site(site):
    with served({**site, "PODSCOPE_WORKERS": "1"}) as (process, _):
        wait_until(lambda: workers(process))
        found = workers(process)
        process.kill()
        process.wait()
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in found))


def test_what_a_view_announced_is_sent_by_the_web_process(rf, monkeypatch):
    monkeypatch.setattr(PageWorker, "start", lambda self: None)
    announced = (("sim.runners", {"type": "run.wake", "run": "one"}),)
    answer = Answered(204, "No Content", (), SimpleCookie(), b"", {"may_be_framed": True}, announced)
    monkeypatch.setattr(PageWorker, "answer", lambda self, asked: answer)
    sent = []

    async def send(group, message):
        sent.append((group, message))

    monkeypatch.setattr(announce, "send", send)
    response = PageWorkers(None, size=2, memory_mib=0, seconds_max=1).answer(rf.get("/"))
    assert (sent, response.status_code, response.may_be_framed) == (list(announced), 204, True)


def test_requests_of_a_run_go_to_the_same_worker_where_it_is_free(rf, monkeypatch):
    monkeypatch.setattr(PageWorker, "start", lambda self: None)
    monkeypatch.setattr(PageWorker, "is_there", True)
    workers = PageWorkers(None, size=4, memory_mib=0, seconds_max=1)
    chosen = {workers._choose("one"), workers._choose("one")}
    assert len(chosen) == 2  # it is busy, so another one helps
    for number in chosen:
        workers._busy[number] = 0
    assert workers._choose("one") in chosen and len({PageWorkers._choose(workers, str(key)) for key in range(3)}) == 3


def test_another_worker_starts_when_all_that_are_there_have_something_to_do(monkeypatch):
    started = set()
    monkeypatch.setattr(PageWorker, "start", lambda self: started.add(self))
    monkeypatch.setattr(PageWorker, "is_there", property(lambda self: self in started))
    workers = PageWorkers(None, size=3, memory_mib=0, seconds_max=1)
    assert [workers._choose(key) for key in ("one", "two")] == [0, 1]
    workers._busy[0] = 0
    assert workers._choose("two") == 0


def test_whoever_gives_way_has_a_worker_that_leaves_the_cores_to_others_or_any_that_is_free(monkeypatch):
    monkeypatch.setattr(PageWorker, "start", lambda self: None)
    monkeypatch.setattr(PageWorker, "is_there", True)
    workers = PageWorkers(None, size=3, memory_mib=0, seconds_max=1)
    chosen = [workers._choose("one", is_aside=True) for _ in range(4)]
    nices = [workers._workers[number]._bounds["nice"] for number in chosen]
    assert (nices, len(set(chosen))) == ([ASIDE_NICE, NICE, NICE, NICE], 4)


def test_nobody_else_gets_the_worker_of_those_who_give_way(monkeypatch):
    monkeypatch.setattr(PageWorker, "start", lambda self: None)
    workers = PageWorkers(None, size=3, memory_mib=0, seconds_max=1)
    nices = {workers._workers[workers._choose(str(key))]._bounds["nice"] for key in range(9)}
    assert nices == {NICE}


def test_worker_that_nobody_has_needed_for_long_is_ended(monkeypatch):
    ended, now_s = [], [1000.0]
    monkeypatch.setattr(page_workers, "monotonic", lambda: now_s[0])
    monkeypatch.setattr(PageWorker, "is_there", True)
    monkeypatch.setattr(PageWorker, "end", lambda self: ended.append(self))
    worker = PageWorker(None, memory_mib=0, seconds_max=1)
    worker._used_s = now_s[0]
    worker.end_idle()
    now_s[0] += page_workers.IDLE_S + 1
    with worker._lock:
        worker.end_idle()
    assert not ended
    worker.end_idle()
    assert ended == [worker]


@pytest.mark.django_db  # it looks at the connection, where some test before has opened one
def test_errand_brings_back_what_the_function_gave_or_raised():
    assert run_errand(Errand(divmod, (7, 2))) == ErrandDone(value=(3, 1))
    assert isinstance(run_errand(Errand(divmod, (7, 0))).error, ZeroDivisionError)


@pytest.mark.django_db  # it looks at the connection, where some test before has opened one
def test_what_an_errand_raised_is_raised_for_whoever_asked(monkeypatch):
    monkeypatch.setattr(PageWorker, "start", lambda self: None)
    monkeypatch.setattr(PageWorker, "answer", lambda self, asked: run_errand(asked))
    workers = PageWorkers(None, size=1, memory_mib=0, seconds_max=1)
    assert workers.call(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        workers.call(divmod, 7, 0)
    assert workers._busy == [0, 0]


def test_form_in_another_encoding_costs_no_worker(running):
    process, address = running
    assert status_of(address, "fidelity/")[0] == 200
    before = workers(process)
    headers = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-7", "Cookie": f"csrftoken={'a' * 32}"}
    for path in ("new/", "class/", "x/", "nothing/"):
        with pytest.raises(HTTPError) as refused:
            build_opener().open(Request(address + path, b"a=b", headers), timeout=60)
        assert (refused.value.code, "UTF-8" in refused.value.read().decode()) == (400, True)
    assert workers(process) == before


class Unpicklable(Exception):
    """One that cannot be made again from its arguments."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def worker_that(monkeypatch, get_response):
    layer = SimpleNamespace(kept=[])
    monkeypatch.setattr(page_workers, "_worker", SimpleNamespace(layer=layer, handler=SimpleNamespace(get_response=get_response)))


@pytest.mark.parametrize("error", [ValueError("x"), RecursionError("x"), SystemExit(3), KeyboardInterrupt(), MemoryError()])
def test_worker_answers_whatever_is_raised_in_it(monkeypatch, error):
    def fail(request):
        raise error

    worker_that(monkeypatch, fail)
    answer = page_workers.work(Asked({"REQUEST_METHOD": "GET", "PATH_INFO": "/new/"}, b""))
    assert answer.status == 500 and b"Something went wrong on our side" in answer.content


def test_worker_answers_a_request_that_cannot_be_made(monkeypatch):
    worker_that(monkeypatch, None)
    environ = {"REQUEST_METHOD": "POST", "PATH_INFO": "/new/", "CONTENT_TYPE": "x; charset*=hex''%41", "HTTP_ACCEPT": "application/json"}
    answer = page_workers.work(Asked(environ, b""))
    assert answer.status == 500 and "logged" in json.loads(answer.content)["text"]


def test_worker_answers_where_what_was_made_has_no_content(monkeypatch):
    worker_that(monkeypatch, lambda request: StreamingHttpResponse([b"a"]))
    assert page_workers.work(Asked({"REQUEST_METHOD": "GET", "PATH_INFO": "/"}, b"")).status == 500


def test_answer_that_cannot_be_handed_over_is_told_all_the_same():
    answer = Answered(200, "OK", (), SimpleCookie(), b"", {"mark": lambda: None}, ())
    assert ForkingPickler.loads(page_workers.packed(answer)).status == 500


@pytest.mark.parametrize("error", [Unpicklable("a", "b"), ValueError(lambda: None)])
def test_error_of_an_errand_that_cannot_be_handed_over_is_named(error):
    told = ForkingPickler.loads(page_workers.packed(ErrandDone(error=error))).error
    assert isinstance(told, RuntimeError) and type(error).__name__ in str(told)
