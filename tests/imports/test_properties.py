"""Properties of an imported run: it can be repeated, cut, sought and forked like any other, and no text breaks the import."""

import copy
import json

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine import RunHeader, advance, apply, new_world
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.course.replay import Checkpoints, replay, verify
from simulator.imports.build import import_reading, import_text
from simulator.imports.read import read
from tests.imports import kubectl

TEXTS = {
    "crashing": kubectl.crashing(5),
    "running": kubectl.listing(kubectl.pod(kubectl.running(2)), kubectl.event("Started", "Started container app", 2)),
    "two": kubectl.listing(
        kubectl.pod(
            kubectl.running(2),
            kubectl.status("helper", kubectl.waiting("CrashLoopBackOff"), restarts=2, last=kubectl.terminated(50, 52)),
        )
    ),
}
VALUES = st.one_of(st.none(), st.integers(-5, 10**9), st.text(max_size=8), st.just([]), st.just({}), st.just("2026-03-01T12:00:07Z"))


@pytest.mark.parametrize("name", TEXTS)
def test_replay_writes_the_same_records_when_a_run_was_imported(name):
    header = import_text(TEXTS[name]).header
    records = []
    replay(header, [], until_ms=header.past.resume_ms + 120_000, into=records)
    assert verify(header, [], records) is None


@pytest.mark.parametrize("name", TEXTS)
def test_slices_do_not_matter_when_a_run_was_imported(name):
    header = import_text(TEXTS[name]).header
    whole, sliced = new_world(header), new_world(header)
    until_ms = header.past.resume_ms + 60_000
    advance(whole, until_ms=until_ms)
    while not advance(sliced, until_ms=until_ms, limit=7).exhausted:
        pass
    assert whole.digest() == sliced.digest()


def test_seek_into_the_past_equals_having_stopped_there():
    header = import_text(TEXTS["crashing"]).header
    checkpoints = Checkpoints(header)
    checkpoints.seek((), ms=header.past.resume_ms)
    direct = new_world(header)
    advance(direct, until_ms=200_000)
    assert checkpoints.seek((), ms=200_000).digest() == direct.digest()


def test_header_survives_its_json():
    header = import_text(TEXTS["crashing"]).header
    assert msgspec.json.decode(msgspec.json.encode(header), type=RunHeader) == header


def test_header_of_another_run_has_no_field_for_a_past():
    assert b"past" not in msgspec.json.encode(RunHeader(kubernetes="1.30"))


def test_a_command_is_refused_before_the_import_and_accepted_after_it():
    header = import_text(TEXTS["running"]).header
    world = new_world(header)
    advance(world, until_ms=1000)
    (refused,) = apply(world, DeletePod(target="shop/web"))
    assert (refused.target, refused.rule) == ("refused", "IMPORT-PAST")
    advance(world, until_ms=header.past.resume_ms)
    assert apply(world, DeletePod(target="shop/web"))[0].target == "accepted"


def paths(value, path=()):
    """Every place of a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from paths(item, (*path, key))


DOCUMENT = json.loads(TEXTS["crashing"])
PLACES = [path for path in paths(DOCUMENT) if path]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PLACES), VALUES), min_size=1, max_size=3))
def test_no_change_of_a_text_breaks_the_import(changes):
    document = copy.deepcopy(DOCUMENT)
    for path, value in changes:
        holder = document
        try:
            for step in path[:-1]:
                holder = holder[step]
            holder[path[-1]] = copy.deepcopy(value)
        except (KeyError, IndexError, TypeError):
            continue
    reading = read(json.dumps(document))
    imported = import_reading(reading) if reading.ok else import_text(json.dumps(document))
    if imported.ok:
        advance(new_world(imported.header), until_ms=imported.resume_ms + 30_000)
    else:
        assert imported.problems


@settings(max_examples=40, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_break_the_import(data):
    assert not import_text(data).ok
