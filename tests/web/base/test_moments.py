"""A moment in a URL: what is written there, and what is read from it."""

import json
from types import SimpleNamespace

import pytest
from django.http import Http404, QueryDict

from simulator.web.base import common
from simulator.web.base.common import Moment, first_error, go_to, moment_of, nothing, wants_fragment, wants_json, world_at

WRITTEN = [
    (Moment(), ""),
    (Moment(t_ms=0), "?t=0.0"),
    (Moment(t_ms=48_250), "?t=48.25"),
    (Moment(sel="pod/default/web"), "?sel=pod%2Fdefault%2Fweb"),
    (Moment(rec=7), "?rec=7"),
    (Moment(tab="why"), ""),
    (Moment(tab="logs", part="app"), "?tab=logs&part=app"),
    (Moment(tab="kubectl", line="get pods", did=3, namespace="dev"), "?tab=kubectl&k=get+pods&did=3&ns=dev"),
    (Moment(tab="kubectl", line="get pods"), "?tab=kubectl&k=get+pods"),
    (Moment(tab="kubectl", did=3, namespace="dev"), "?tab=kubectl"),
    (Moment(tab="logs", line="get pods", did=3), "?tab=logs"),
    (Moment(tab="diff", pin_ms=0, noise=True), "?tab=diff&pin=0.0&noise=1"),
    (Moment(tab="diff"), "?tab=diff"),
    (Moment(pin_ms=5, noise=True), ""),
    (Moment(look=(("q", "web"), ("fold", "")), lang="zh-hans"), "?q=web&lang=zh-hans"),
]


@pytest.mark.parametrize(("moment", "query"), WRITTEN)
def test_link_has_what_the_moment_has_and_its_tab_needs(moment, query):
    assert moment.query() == query


READ = [
    ("", Moment()),
    ("t=48.25&sel=a&rec=7", Moment(t_ms=48_250, sel="a", rec=7)),
    ("t=x&rec=x&did=x&pin=x", Moment()),
    ("t=-1", Moment()),
    ("tab=logs&part=app", Moment(tab="logs", part="app")),
    ("tab=nonsense", Moment()),
    ("ns=dev&did=4", Moment(namespace="dev", did=4)),
    ("ns=-dev", Moment()),
    ("noise=1&pin=2", Moment(noise=True, pin_ms=2000)),
    ("noise=true", Moment()),
    (f"sel={'a' * 701}", Moment(sel="a" * 700)),
]


@pytest.mark.parametrize(("query", "moment"), READ)
def test_parts_of_a_link_that_cannot_be_read_are_left_out(query, moment):
    assert moment_of(SimpleNamespace(GET=QueryDict(query))) == moment


@pytest.mark.parametrize(("most_ms", "t_ms"), [(5000, 5000), (4999, None)])
def test_moment_that_no_run_reaches_is_none(settings, most_ms, t_ms):
    settings.SIM_RUN_MS_MAX = most_ms
    assert moment_of(SimpleNamespace(GET=QueryDict("t=5"))).t_ms == t_ms


@pytest.fixture
def sought(monkeypatch):
    """Which world is sought for a run of twenty records, the last of them at one minute."""
    monkeypatch.setattr(common.timemachine, "seek", lambda run, **where: where)
    monkeypatch.setattr(common.timemachine, "record_at", lambda run, seq: SimpleNamespace(at_ms=seq * 1000) if seq else None)

    def at(*, kept=False, **where):
        monkeypatch.setattr(common, "is_kept", lambda run: kept)
        return world_at(SimpleNamespace(head_seq=20, head_ms=60_000), **where)

    return at


@pytest.mark.parametrize(
    ("where", "plain", "kept"),
    [
        ({}, {"seq": 20}, {"ms": 60_000}),
        ({"t": 0}, {"ms": 0}, {"ms": 0}),
        ({"t": 5000}, {"ms": 5000}, {"ms": 5000}),
        ({"seq": 7}, {"seq": 7}, {"ms": 7000}),
        ({"seq": 7, "t": 5000}, {"seq": 7}, {"ms": 7000}),
        ({"seq": 99}, {"seq": 20}, {"ms": 20_000}),
        ({"seq": 0}, {"seq": 0}, {"ms": 60_000}),
    ],
)
def test_world_is_that_of_the_record_of_the_moment_or_of_the_head(sought, where, plain, kept):
    assert (sought(**where), sought(kept=True, **where)) == (plain, kept)


class Htmx(SimpleNamespace):
    def __bool__(self):
        return self.asks


@pytest.mark.parametrize(
    ("htmx", "is_fragment"),
    [(None, False), (Htmx(asks=False, history_restore_request=False), False), (Htmx(asks=True, history_restore_request=False), True)]
    + [(Htmx(asks=True, history_restore_request=True), False)],
)
def test_fragment_is_for_htmx_unless_it_restores_a_whole_page(rf, htmx, is_fragment):
    request = rf.get("/", HTTP_ACCEPT="text/html")
    if htmx is not None:
        request.htmx = htmx
    assert (wants_fragment(request), wants_json(request)) == (is_fragment, is_fragment)
    answer = go_to(request, "/there/")
    assert (answer.status_code, answer.get("HX-Redirect")) == ((200, "/there/") if is_fragment else (302, None))


def test_events_of_an_empty_answer_are_named_as_scripts_name_them():
    answer = nothing(toast_show={"text": "x"}, run_a_b=1)
    assert (answer.status_code, json.loads(answer["HX-Trigger"])) == (204, {"toast:show": {"text": "x"}, "run:a_b": 1})


@pytest.mark.parametrize(("errors", "text"), [({}, ""), ({"__all__": ["a", "b"]}, "a"), ({"name": ["a", "b"], "other": ["c"]}, "name: a")])
def test_first_error_of_a_form_is_told_with_its_field(errors, text):
    assert first_error(errors) == text


@pytest.mark.parametrize("find", ["run_or_404", "scenario_or_404", "share_or_404"])
def test_what_there_is_is_returned_and_what_there_is_not_is_a_404(monkeypatch, find):
    getter = find.replace("_or_404", "_get")
    monkeypatch.setattr(common, getter, lambda name: "found" if name == "a" else None)
    assert getattr(common, find)("a") == "found"
    with pytest.raises(Http404):
        getattr(common, find)("b")
