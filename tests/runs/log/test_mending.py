"""A log with losses: what is lost is recomputed from header and commands, and never omitted silently."""

import zlib

import msgspec
import pytest
from django.db import OperationalError
from django.urls import reverse

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.kernel.records import Record
from simulator.models import RecordChunk, Run
from simulator.runs.log import storage, timemachine
from simulator.runs.selectors.records import records_frame
from simulator.runs.services.commands import command_submit
from simulator.runs.services.runs import run_branch
from tests.factories import OWNER, STRANGER, make_run
from tests.web.helpers import play, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(monkeypatch):
    """A run of many chunks with an act in the middle."""
    monkeypatch.setattr(storage, "CHUNK_RECORDS_MAX", 5)
    run = play(make_run(), 20_000)
    command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="delete-it")
    return play(run, 90_000)


@pytest.fixture
def records(run):
    """The records in its log."""
    return storage.read(run.id, after=0, limit=10_000)


def chunks(run):
    return RecordChunk.objects.filter(run=run).order_by("first_seq")


def drop(chunk):
    chunk.delete()


def spoil(chunk):
    RecordChunk.objects.filter(pk=chunk.pk).update(body=b"no zlib at all")


def shorten(chunk):
    body = zlib.compress(storage._encode(msgspec.msgpack.decode(zlib.decompress(bytes(chunk.body)), type=list[Record])[:-1]))
    RecordChunk.objects.filter(pk=chunk.pk).update(body=body)


def garble(chunk):
    RecordChunk.objects.filter(pk=chunk.pk).update(body=zlib.compress(b"\xc1"))


@pytest.mark.parametrize("damage", [drop, spoil, shorten, garble])
@pytest.mark.parametrize("at", ["first", "middle", "last"])
def test_what_the_log_lost_is_computed_again(run, records, damage, at):
    everything = list(chunks(run))
    damage(everything[{"first": 0, "middle": len(everything) // 2, "last": -1}[at]])
    assert timemachine.log(run, after=0, limit=10_000) == records


def test_what_was_computed_again_is_put_back(run, records):
    for chunk in list(chunks(run))[1:4]:
        spoil(chunk)
    timemachine.log(run, after=0, limit=10_000)
    assert storage.read(run.id, after=0, limit=10_000, head=run.head_seq) == records


def test_what_can_be_read_stays_as_it_is(run, records):
    drop(chunks(run)[1])
    kept = set(chunks(run).values_list("pk", flat=True))
    timemachine.log(run, after=0, limit=10_000)
    assert kept < set(chunks(run).values_list("pk", flat=True))


def test_reader_who_is_past_the_damage_is_served_without_mending(run, records, monkeypatch):
    monkeypatch.setattr(timemachine, "_mended", None)
    spoil(chunks(run)[0])
    assert timemachine.log(run, after=10, limit=5) == records[10:15]


def test_lost_records_are_served_while_the_database_takes_nothing(run, records, monkeypatch):
    def full(*args, **kwargs):
        raise OperationalError("database or disk is full")

    drop(chunks(run)[1])
    monkeypatch.setattr(storage, "mend", full)
    assert timemachine.log(run, after=0, limit=10_000) == records


def test_records_of_another_run_than_the_recorded_one_are_not_put_in(run, records):
    drop(chunks(run)[1])
    left = chunks(run).count()
    Run.objects.filter(id=run.id).update(head_digest=b"another")
    with pytest.raises(timemachine.LostRecords):
        timemachine.log(run, after=0, limit=10_000)
    assert chunks(run).count() == left


def test_frame_has_no_gap(run, records):
    drop(chunks(run)[1])
    assert [record.seq for record in records_frame(run, after=3).records][:6] == [4, 5, 6, 7, 8, 9]


def test_branch_is_made_at_a_record_that_was_lost(run, records):
    drop(chunks(run)[1])
    assert run_branch(parent=run, owner_key=STRANGER, at_seq=7).base_ms == records[6].at_ms


def test_page_of_a_run_that_cannot_be_mended_says_so(client, run, records):
    drop(chunks(run)[0])
    Run.objects.filter(id=run.id).update(head_digest=b"another")
    response = client.get(reverse("sim:run-records", args=[run.id]))
    assert (response.status_code, "damaged" in text_of(response)) == (410, True)
