import pytest

from simulator.engine.acts.all_acts import Applied
from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Milestone, RecordChunk, Run
from simulator.runs.log import storage
from simulator.runs.services.commands import command_submit
from tests.factories import OWNER, make_record, make_run, own

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return make_run()


def append(run, epoch, *records, head_ms=0, applied=()):
    head_seq = Run.objects.get(id=run.id).head_seq + len(records)
    batch = storage.Addition(records=records, applied=applied, head_seq=head_seq, head_ms=head_ms, digest=b"d")
    storage.append(run.id, epoch=epoch, batch=batch)


def seqs(run, after=0, limit=100):
    return [record.seq for record in storage.read(run.id, after=after, limit=limit)]


def test_number_at_a_moment_is_that_of_the_last_record_up_to_it(run, monkeypatch):
    monkeypatch.setattr(storage, "CHUNK_RECORDS_MAX", 2)
    append(run, own(run), *(make_record(seq, at_ms) for seq, at_ms in enumerate((5, 10, 10, 20), start=1)))
    assert [storage.seq_at(run.id, ms) for ms in (0, 5, 9, 10, 19, 20, 99)] == [0, 1, 1, 3, 3, 4, 4]


def test_log_returns_what_was_appended(run):
    record = make_record(1, 250, data=(("ready", "0/1"), ("restarts", 3), ("held", True), ("until", None)))
    append(run, own(run), record)
    assert storage.read(run.id, after=0, limit=10) == [record]


def test_log_goes_on_after_the_number_asked_for(run):
    epoch = own(run)
    append(run, epoch, make_record(1), make_record(2))
    append(run, epoch, make_record(3), make_record(4))
    assert seqs(run, after=1) == [2, 3, 4]


def test_log_gives_no_more_than_asked_for(run):
    append(run, own(run), *[make_record(seq) for seq in range(1, 8)])
    assert seqs(run, after=2, limit=3) == [3, 4, 5]


def test_log_splits_large_batches(run):
    append(run, own(run), *[make_record(seq) for seq in range(1, storage.CHUNK_RECORDS_MAX + 2)])
    assert list(RecordChunk.objects.values_list("count", flat=True)) == [storage.CHUNK_RECORDS_MAX, 1]


def test_append_moves_the_head(run):
    append(run, own(run), make_record(1), head_ms=900)
    run.refresh_from_db()
    assert (run.head_seq, run.head_ms, bytes(run.head_digest)) == (1, 900, b"d")


def test_append_changes_nothing_when_the_lease_was_lost(run):
    epoch = own(run)
    Run.objects.filter(id=run.id).update(epoch=epoch + 1)
    with pytest.raises(storage.LostLease):
        append(run, epoch, make_record(1))
    assert seqs(run) == []


def test_append_is_refused_when_it_would_leave_a_gap(run):
    batch = storage.Addition(records=(make_record(5),), head_seq=5, head_ms=0, digest=b"")
    with pytest.raises(storage.LostLease):
        storage.append(run.id, epoch=own(run), batch=batch)


def test_append_is_refused_when_it_would_repeat_a_record(run):
    epoch = own(run)
    append(run, epoch, make_record(1))
    with pytest.raises(storage.LostLease):
        storage.append(run.id, epoch=epoch, batch=storage.Addition(records=(make_record(1),), head_seq=1, head_ms=0, digest=b""))


def test_append_fixes_the_place_of_commands(run):
    row = command_submit(run=run, owner_key=OWNER, command=DeletePod(target="default/web"), client_key="k")
    done = Applied(n=row.n, at_ms=40, seq=1, outcome="accepted")
    append(run, own(run), make_record(1, 40, kind="command", machine="command", target="accepted"), applied=(done,))
    row.refresh_from_db()
    assert (row.at_ms, row.applied_seq, row.outcome) == (40, 1, "accepted")


def test_milestones_are_kept_of_phases_events_and_commands(run):
    ticks = [make_record(1), make_record(2, machine="probe"), make_record(3, kind="event", machine="k8s_event")]
    append(run, own(run), *ticks)
    assert list(Milestone.objects.values_list("seq", flat=True)) == [1, 3]


def test_log_with_a_gap_is_not_read_over(run):
    epoch = own(run)
    for seq in range(1, 4):
        append(run, epoch, make_record(seq))
    RecordChunk.objects.filter(first_seq=2).delete()
    with pytest.raises(storage.BrokenLog, match="record 2 "):
        storage.read(run.id, after=0, limit=10)


def test_log_that_ends_before_the_head_is_not_read_as_whole(run):
    append(run, own(run), make_record(1))
    assert seqs(run) == [1]
    with pytest.raises(storage.BrokenLog, match="record 2 "):
        storage.read(run.id, after=0, limit=10, head=2)


def test_long_log_is_read_in_pages_and_no_further_than_asked_for(run, monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(storage, "PAGE_CHUNKS", 2)
    epoch = own(run)
    for seq in range(1, 6):
        append(run, epoch, make_record(seq))
    for limit, pages in [(1, 1), (3, 2), (100, 3)]:
        with django_assert_num_queries(pages):
            assert seqs(run, limit=limit) == list(range(1, min(limit, 5) + 1))
    RecordChunk.objects.filter(first_seq=4).delete()
    assert storage.gaps(run.id, head=5) == [(4, 4)]


def test_gap_behind_what_is_asked_for_does_no_harm(run):
    epoch = own(run)
    for seq in range(1, 4):
        append(run, epoch, make_record(seq))
    RecordChunk.objects.filter(first_seq=3).delete()
    assert [record.seq for record in storage.read(run.id, after=0, limit=2, head=3)] == [1, 2]
