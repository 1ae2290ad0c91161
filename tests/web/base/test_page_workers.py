"""Processes for requests that compute: which one is chosen, when it is let go, and what it answers. None is started here."""

import json
from http.cookies import SimpleCookie
from multiprocessing.reduction import ForkingPickler
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from django.db import OperationalError, connection
from django.http import StreamingHttpResponse

from lifecycle_site.connections import keep_connections
from simulator.runs.turns.constants import ASIDE_PAGE_NICE, PAGE_NICE
from simulator.runs.wire import announce
from simulator.web.base import page_workers
from simulator.web.base.page_workers import Answered, Asked, Errand, ErrandDone, PageWorker, PageWorkers, run_errand


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


@pytest.fixture
def under_way(rf, monkeypatch):
    """Workers, one of which has played the maximum of a request on a run; its number."""
    monkeypatch.setattr(PageWorker, "start", lambda self: None)
    monkeypatch.setattr(PageWorker, "is_there", True)
    answered = Answered(503, "", (), SimpleCookie(), b"", {"is_under_way": True}, ())
    monkeypatch.setattr(PageWorker, "answer", lambda self, asked: answered)
    workers = PageWorkers(None, size=4, memory_mib=0, seconds_max=1)
    workers.answer(rf.get("/"), key="far")
    return workers, workers._choose("far")


def test_run_that_is_under_way_waits_for_the_worker_that_has_played_it(under_way):
    workers, number = under_way
    assert workers._choose("far") == number
    assert workers._choose("far") != number  # two already have it


def test_run_that_has_been_played_goes_to_whoever_is_free(rf, under_way, monkeypatch):
    workers, number = under_way
    workers._busy[number] = 0
    done = Answered(200, "", (), SimpleCookie(), b"", {}, ())
    monkeypatch.setattr(PageWorker, "answer", lambda self, asked: done)
    workers.answer(rf.get("/"), key="far")
    assert len({workers._choose("far") for _ in range(2)}) == 2


def test_run_under_way_is_not_waited_for_where_its_worker_has_gone(under_way, monkeypatch):
    workers, number = under_way
    monkeypatch.setattr(PageWorker, "is_there", property(lambda self: self is not workers._workers[number]))
    assert workers._choose("far") != number


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
    assert (nices, len(set(chosen))) == ([ASIDE_PAGE_NICE, PAGE_NICE, PAGE_NICE, PAGE_NICE], 4)


def test_call_goes_to_the_worker_of_those_who_give_way_too(monkeypatch):
    monkeypatch.setattr(PageWorker, "start", lambda self: None)
    monkeypatch.setattr(PageWorker, "answer", lambda self, asked: ErrandDone(value=self._bounds["nice"]))
    workers = PageWorkers(None, size=1, memory_mib=0, seconds_max=1)
    assert [workers.call(len, "a", is_aside=is_aside) for is_aside in (True, False)] == [ASIDE_PAGE_NICE, PAGE_NICE]


@pytest.mark.parametrize(("nice", "told"), [(PAGE_NICE, ("nice", PAGE_NICE)), (ASIDE_PAGE_NICE, ("aside", ASIDE_PAGE_NICE))])
def test_worker_of_those_who_give_way_interrupts_nobody(monkeypatch, nice, told):
    done = []
    monkeypatch.setattr(page_workers, "step_aside", lambda level: done.append(("aside", level)))
    monkeypatch.setattr(page_workers.os, "nice", lambda level: done.append(("nice", level)))
    monkeypatch.setattr(page_workers, "_worker", None)  # live() sets it, and this process is none
    for name in ("_Worker", "_end_with_parent", "name_process", "limit_memory", "keep_connections", "serve"):
        monkeypatch.setattr(page_workers, name, lambda *_: None)
    monkeypatch.setattr(page_workers.signal, "signal", lambda *_: None)
    page_workers.live(None, memory_mib=0, nice=nice)
    assert done == [told]


def test_calls_and_requests_with_one_key_have_one_worker(monkeypatch):
    monkeypatch.setattr(PageWorker, "start", lambda self: None)
    monkeypatch.setattr(PageWorker, "is_there", True)
    workers = PageWorkers(None, size=5, memory_mib=0, seconds_max=1)
    monkeypatch.setattr(PageWorker, "answer", lambda self, asked: ErrandDone(value=workers._workers.index(self)))
    numbers = [workers.call(len, "a", key=key) for key in ("one", "two", "three")]
    assert len(set(numbers)) > 1
    assert [workers._choose(key) for key in ("one", "two", "three")] == numbers


def test_nobody_else_gets_the_worker_of_those_who_give_way(monkeypatch):
    monkeypatch.setattr(PageWorker, "start", lambda self: None)
    workers = PageWorkers(None, size=3, memory_mib=0, seconds_max=1)
    nices = {workers._workers[workers._choose(str(key))]._bounds["nice"] for key in range(9)}
    assert nices == {PAGE_NICE}


class IdleSite:
    """The page workers of a site with two slots, with processes that are only counted and a clock that tests set."""

    def __init__(self, monkeypatch):
        self.now_s, self.is_watched, self.born = 1000.0, False, []
        monkeypatch.setattr(page_workers, "monotonic", lambda: self.now_s)
        monkeypatch.setattr(page_workers, "Thread", lambda **_: Mock())
        context = Mock(Pipe=lambda: (self.line(), Mock()), Process=self.process)
        monkeypatch.setattr(page_workers, "_bound", lambda line, seconds: None)
        self.workers = PageWorkers(context, size=2, memory_mib=0, seconds_max=1, is_watched=lambda: self.is_watched)

    def line(self):
        return Mock(recv=lambda: ErrandDone())

    def process(self, **_):
        self.born.append(Mock(pid=len(self.born) + 1, is_alive=lambda: True))
        return self.born[-1]

    def use(self, number):
        self.workers._workers[number].answer(Errand(divmod, (7, 2)))

    def pass_by(self, seconds):
        self.now_s += seconds
        self.workers.let_go()

    @property
    def pids(self):
        return [each._process.pid if each._process else None for each in self.workers._workers]


def test_workers_that_nobody_has_asked_within_a_minute_are_let_go_and_a_fresh_one_waits(monkeypatch):
    site = IdleSite(monkeypatch)
    site.use(0)
    site.use(1)
    assert site.pids == [1, 2, None]
    site.pass_by(60 - page_workers.IDLE_LOOK_S)
    assert site.pids == [3, None, None]


def test_fresh_worker_that_has_answered_nobody_is_left_alone(monkeypatch):
    site = IdleSite(monkeypatch)
    site.pass_by(3600)
    assert site.pids == [1, None, None]


def test_worker_that_was_asked_a_moment_ago_stays(monkeypatch):
    site = IdleSite(monkeypatch)
    site.use(0)
    site.use(1)
    site.pass_by(page_workers.IDLE_S - 1)
    assert site.pids == [1, 2, None]


def test_while_somebody_watches_workers_keep_what_they_have_and_only_further_ones_end_later(monkeypatch):
    site = IdleSite(monkeypatch)
    site.is_watched = True
    site.use(0)
    site.use(1)
    site.pass_by(page_workers.WATCHED_IDLE_S - 1)
    assert site.pids == [1, 2, None]
    site.pass_by(2)
    assert site.pids == [1, None, None]


def test_worker_that_is_answering_is_not_let_go(monkeypatch):
    site = IdleSite(monkeypatch)
    site.use(0)
    with site.workers._workers[0]._lock:
        site.pass_by(3600)
    assert site.pids == [1, None, None]


def test_worker_that_cannot_be_replaced_starts_with_the_next_who_asks(monkeypatch):
    site = IdleSite(monkeypatch)
    site.use(0)
    with monkeypatch.context() as no_room:
        no_room.setattr(PageWorker, "start", Mock(side_effect=page_workers.Lost))
        site.pass_by(3600)
    assert site.pids == [None, None, None]
    site.use(0)
    assert site.pids == [2, None, None]


class Asker:
    """The other end of a worker: its requests, None for a pause without any; then it disconnects."""

    def __init__(self, asked):
        self.asked, self.answers, self.polls = asked, [], 0

    def poll(self, _seconds):
        if not self.asked:
            raise EOFError
        self.polls += 1
        return self.asked[0] is not None or self.asked.pop(0)

    def recv(self):
        return self.asked.pop(0)

    def send_bytes(self, answer):
        self.answers.append(answer)


def test_worker_looks_for_what_it_may_let_go_whether_it_has_much_to_do_or_nothing(monkeypatch):
    looks, done = [], Errand(divmod, (7, 2))
    asker = Asker([done, done, done, None, None, None])
    monkeypatch.setattr(page_workers, "monotonic", lambda: asker.polls * page_workers.LET_GO_LOOK_S / 3)
    monkeypatch.setattr(page_workers, "let_go", lambda: looks.append(len(asker.answers)))
    monkeypatch.setattr(page_workers, "run_errand", lambda errand: ErrandDone())
    with pytest.raises(EOFError):
        page_workers.serve(asker)
    assert (looks, asker.polls) == ([3, 3], 6)


@pytest.mark.django_db
@pytest.mark.parametrize(("let_go", "trims"), [(0, 0), (2, 1)])
def test_worker_gives_memory_back_where_it_has_let_something_go(let_go, trims, monkeypatch):
    trim = Mock()
    monkeypatch.setattr(page_workers, "trim", trim)
    monkeypatch.setattr(page_workers.timemachine, "let_go", lambda: let_go)
    page_workers.let_go()
    assert trim.call_count == trims


@pytest.mark.django_db
def test_worker_goes_on_where_the_database_does_not_say_who_watches(monkeypatch, caplog):
    monkeypatch.setattr(page_workers.timemachine, "let_go", Mock(side_effect=OperationalError("gone")))
    page_workers.let_go()
    assert "could not be let go: gone" in caplog.text


def _connected() -> bool:
    was_connected = connection.connection is not None
    connection.ensure_connection()
    return was_connected


@pytest.mark.django_db(transaction=True)
def test_worker_uses_its_connection_again(monkeypatch):
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", 0)
    run_errand(Errand(_connected, ()))
    assert not run_errand(Errand(_connected, ())).value
    keep_connections()
    run_errand(Errand(_connected, ()))
    assert run_errand(Errand(_connected, ())).value


@pytest.mark.django_db  # it looks at the connection, which an earlier test may have opened
def test_errand_brings_back_what_the_function_gave_or_raised():
    assert run_errand(Errand(divmod, (7, 2))) == ErrandDone(value=(3, 1))
    assert isinstance(run_errand(Errand(divmod, (7, 0))).error, ZeroDivisionError)


@pytest.mark.django_db  # it looks at the connection, which an earlier test may have opened
def test_what_an_errand_raised_is_raised_for_whoever_asked(monkeypatch):
    monkeypatch.setattr(PageWorker, "start", lambda self: None)
    monkeypatch.setattr(PageWorker, "answer", lambda self, asked: run_errand(asked))
    workers = PageWorkers(None, size=1, memory_mib=0, seconds_max=1)
    assert workers.call(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        workers.call(divmod, 7, 0)
    assert workers._busy == [0, 0]


class Unpicklable(Exception):
    """An exception that cannot be recreated from its arguments."""

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
