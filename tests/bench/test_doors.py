"""A short walk through every address and socket with hostile input; ``make bench ARGS=doors`` does it at length."""

import logging
import subprocess
from types import SimpleNamespace

import pytest
from channels.layers import channel_layers
from django.core.management import call_command

from lifecycle_site.throttle import Allowances
from simulator.bench.doors import grammar, judge
from simulator.bench.doors.addresses import doors, methods_of, sockets
from simulator.bench.doors.inside import InnerSite
from simulator.bench.doors.model import Known, Message, Reply, Request, Talk, TalkEnd
from simulator.bench.doors.names import fields_of
from simulator.bench.doors.report import lines_of, report
from simulator.bench.doors.walk import RegularVisitor, walk
from simulator.bench.doors.wire import WiredSite
from simulator.bench.frames import masked
from simulator.runs.live import consumers
from simulator.runs.wire import protocol

INPUTS = 1_000
KNOWN = Known(
    cookies=b"csrftoken=t", token=b"t", runs=("r1", "r2"), shares=("s",), sweeps=("w",), classes=("c",), file='{"a": {"b": [1, "x"]}}'
)
ROUND = 10 * 110
"""Number of inputs until every address has come up."""
SOUND = (
    (b"content-type", b"text/html"),
    (b"content-security-policy", b"default-src 'self'"),
    (b"permissions-policy", b"camera=()"),
    (b"referrer-policy", b"same-origin"),
    (b"x-content-type-options", b"nosniff"),
)
PAGE = Request(method=b"GET", target=b"/new/?a=1", headers=())


@pytest.fixture
def application(transactional_db, settings, monkeypatch):
    """The whole site behind its server, without rate limits per visitor."""
    settings.MEMORY_MB = 0  # the limit would apply to the test process
    settings.SIM_SOCKETS_PER_ADDRESS_MAX = 100_000
    monkeypatch.setattr(consumers, "OPENINGS", Allowances())
    monkeypatch.setattr(consumers, "REFUSAL_S", 0.0)
    channel_layers.backends = {}
    call_command("load_scenarios", verbosity=0)
    from lifecycle_site.asgi import application

    return application


# ---- the site ----------------------------------------------------------------------------------------------------------
async def test_no_input_is_answered_with_an_error_of_the_site(application):
    with InnerSite(application) as site:
        known = await RegularVisitor(site).make()
        walked = await walk(site, known, seed=1, numbers=range(INPUTS))
    assert walked.inputs == INPUTS
    assert walked.answers["200"] > INPUTS / 10 and walked.answers["socket answers"]
    assert [*lines_of(walked)] == []


def test_no_input_costs_a_real_site_a_process():
    *_, last = report(60, seed=2)
    assert last.startswith("doors     seed 2; answers: ")


# ---- the walk itself: it must be able to fail ---------------------------------------------------------------------------
async def answering(scope, receive, send, *, status=200, headers=SOUND):
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"words"})


async def failing(scope, receive, send):
    await answering(scope, receive, send, status=500)


async def raising(scope, receive, send):
    raise ValueError("too much")


async def logging_a_traceback(scope, receive, send):
    try:
        raise OverflowError("too far")
    except OverflowError:
        logging.getLogger("simulator").exception("it failed")
    await answering(scope, receive, send)


@pytest.mark.parametrize(
    ("application", "wrong"),
    [
        (answering, []),
        (failing, ["status 500"]),
        (raising, ["no answer: ValueError: too much"]),
        (logging_a_traceback, ["traceback: OverflowError: too far"]),
    ],
    ids=["answers", "status 500", "raises", "logs"],
)
async def test_walk_reports_what_is_wrong_with_each_answer(application, wrong):
    with InnerSite(application) as site:
        walked = await walk(site, KNOWN, seed=1, numbers=[0, 4, 20])
    assert [[*found.wrong] for found in walked.found] == ([wrong] * 3 if wrong else [])
    assert walked.inputs == 3


async def test_walk_reports_a_process_that_has_ended():
    class Dying(InnerSite):
        def ended_processes(self):
            return ["a process"]

    with Dying(answering) as site:
        walked = await walk(site, KNOWN, seed=1, numbers=[0])
    assert walked.found[0].wrong == ("a process has ended",)


def test_server_that_has_ended_is_reported_once():
    with subprocess.Popen(["sleep", "60"]) as process:
        wired = WiredSite(SimpleNamespace(process=process, port=1))
        assert wired.ended_processes() == []
        process.kill()
        process.wait()
        assert [wired.ended_processes(), wired.ended_processes()] == [["the web process or the fork server"], []]


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        (Reply(status=200, headers=SOUND, body=b"a"), []),
        (Reply(status=204, headers=SOUND[1:]), []),
        (Reply(status=503, headers=(*SOUND, (b"retry-after", b"5")), body=b"busy"), []),
        (Reply(status=503, headers=SOUND, body=b"busy"), ["status 503"]),
        (Reply(status=503, headers=(*SOUND, (b"retry-after", b"5"))), ["status 503"]),
        (Reply(status=501, headers=SOUND, body=b"a"), ["status 501"]),
        (Reply(status=200, headers=SOUND[1:], body=b"a"), ["status 200 without Content-Type"]),
        (Reply(status=404, headers=SOUND[:4], body=b"a"), ["status 404 without x-content-type-options"]),
        (Reply(status=200, headers=(*SOUND, (b"x-injected", b"1")), body=b"a"), ["a header out of the request"]),
        (Reply(status=0, broken="closed without an answer"), ["no answer: closed without an answer"]),
        (Reply(status=431, body=b"too long"), []),
    ],
)
def test_answer_is_sound_or_told(answer, wrong):
    assert [*judge.of_answer(PAGE, answer)] == wrong


@pytest.mark.parametrize(
    ("method", "target", "body", "found"),
    [
        (b"GET", b"/oembed?format=xml", b"JSON alone.", []),
        (b"HEAD", b"/oembed?format=xml", b"", []),
        (b"GET", b"/oembed?format=xml", b"", ["status 501"]),
        (b"HEAD", b"/", b"", ["status 501"]),
    ],
)
def test_501_is_for_formats_of_oembed_alone(method, target, body, found):
    assert list(judge.of_answer(Request(method=method, target=target, headers=()), Reply(status=501, headers=SOUND, body=body))) == found


@pytest.mark.parametrize(
    ("said", "end", "wrong"),
    [
        (b"{}", TalkEnd(status=101, answers=True), []),
        (b"{}", TalkEnd(status=101, code=protocol.CLOSE_BAD), []),
        (b"{}", TalkEnd(status=403), []),
        (b"{}", TalkEnd(status=101, code=1011), ["socket: closed with 1011"]),
        (b"{}", TalkEnd(status=101, code=0), ["socket: closed with 0"]),
        (b"{}", TalkEnd(status=500), ["socket: status 500"]),
        (b"{}", TalkEnd(status=0, broken="ConnectionResetError"), ["socket: ConnectionResetError"]),
        (b"\xff", TalkEnd(status=0, broken="ConnectionResetError"), []),
        (b"\xff", TalkEnd(status=0, broken="TimeoutError"), ["socket: TimeoutError"]),
    ],
)
def test_socket_ends_as_agreed_or_is_reported(said, end, wrong):
    assert [*judge.of_talk(Talk(target=b"/ws/", headers=(), messages=(Message(1, said),)), end)] == wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("2026-01-01 00:00:00,000 WARNING simulator: no more\n", []),
        ("2026-01-01 00:00:00,000 ERROR django.security.DisallowedHost: no\n", []),
        ("2026-01-01 00:00:00,000 ERROR simulator: the process was lost\n", ["logged: simulator: the process was lost"]),
        ("a\nTraceback (most recent call last):\n  File x\n    y\ndecimal.Overflow: [1]\n", ["traceback: decimal.Overflow: [1]"]),
        ("a\n    Traceback (most recent call last):\n      File x\n    KeyError: 'a'\n", ["traceback: KeyError: 'a'"]),
    ],
)
def test_line_of_the_log_is_sound_or_told(text, wrong):
    assert [each.replace("    ", "") for each in judge.of_log(text)] == wrong


# ---- the grammar --------------------------------------------------------------------------------------------------------
def test_input_follows_from_its_seed_and_number():
    assert [grammar.case(3, number, KNOWN) for number in range(300)] == [grammar.case(3, number, KNOWN) for number in range(300)]
    assert grammar.case(3, 7, KNOWN) != grammar.case(4, 7, KNOWN)


def test_every_address_and_socket_comes_up():
    named = {grammar.case(1, number, KNOWN).door for number in range(ROUND)}
    assert {door.name for door in doors()} | {"".join(door.literals) for door in sockets()} <= named


def test_names_and_methods_are_those_that_views_read():
    views = {door.name: door.view for door in doors()}
    assert {"t", "pin", "rec", "k"} <= set(fields_of(views["run"]))
    assert len(fields_of(views["run-commands"])["do"]) > 20
    assert {"text", "upload"} <= set(fields_of(views["open"]))
    assert (methods_of(views["run-share"]), methods_of(views["class"])) == (("POST",), ("GET", "HEAD"))


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_frame_of_a_client_says_how_long_it_is(size):
    frame = masked(0x81, b"a" * size)
    head = {0: 2, 125: 2, 126: 4, 65_535: 4, 65_536: 10}[size]
    assert len(frame) == head + 4 + size
    assert frame[1] == 0x80 | {2: size, 4: 126, 10: 127}[head]
    assert head == 2 or int.from_bytes(frame[2:head]) == size
