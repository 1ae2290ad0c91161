"""Run by test_postgresql.py in processes whose site uses PostgreSQL. Two real connections compete here, each in its own thread."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from time import sleep

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Now

from lifecycle_site.locks import alone_in_database
from simulator.models import Run, StoredSweep, SweepAsk
from simulator.runs.drive import lease
from simulator.runs.log import storage
from simulator.runs.services import shares
from simulator.runs.services.shares import share_create
from simulator.runs.services.sweeps import asks_forget, sweep_stop
from tests.factories import OWNER, STRANGER, drive, make_record, make_run, own
from tests.runs.services.test_links_while_acting import act, acts_and_goes_on, busy_run, is_whole
from tests.runs.services.test_sweeps import ask, read

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*calls):
    """The results (or exceptions) of calls that start together, each on a connection of its own."""
    together = Barrier(len(calls))

    def work(call):
        try:
            together.wait()
            return call()
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(work, calls))


def batch(first: int, last: int) -> storage.Addition:
    records = tuple(make_record(seq, seq) for seq in range(first, last + 1))
    return storage.Addition(records=records, head_seq=last, head_ms=last, digest=b"d")


def taken(run, owner):
    return lambda: lease.acquire(run.id, owner=owner, lease_ms=10_000)


def test_the_site_is_on_postgresql():
    assert connection.vendor == "postgresql"


def test_rows_that_django_asks_for_in_parts_all_come():
    runs = {make_run().id for _ in range(3)}
    assert {run.id for run in Run.objects.iterator(chunk_size=1)} == runs  # as the admin does


@pytest.fixture
def _impatient():
    """PostgreSQL ends transactions that wait for their client."""
    change = f"ALTER DATABASE {connection.ops.quote_name(connection.settings_dict['NAME'])}"
    with connection.cursor() as cursor:
        cursor.execute(f"{change} SET idle_in_transaction_session_timeout = 50")
        yield
        cursor.execute(f"{change} RESET idle_in_transaction_session_timeout")


def locks_held():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted")
        return cursor.fetchone()[0]


@pytest.mark.usefixtures("_impatient")
def test_preparation_keeps_its_lock_for_as_long_as_it_takes():
    with alone_in_database():
        sleep(0.3)
        assert locks_held() == 1
    assert locks_held() == 0


def test_one_of_many_takes_a_free_run():
    run = make_run()
    epochs = at_once(*(taken(run, f"host:{number}:a") for number in range(8)))
    assert sorted(epoch is not None for epoch in epochs) == [False] * 7 + [True]


def test_lease_ends_by_the_clock_of_the_database():
    run = make_run()
    first = own(run)
    Run.objects.filter(id=run.id).update(lease_until=Now())
    epochs = at_once(taken(run, "host:1:a"), taken(run, "host:2:b"))
    assert sorted(epochs, key=str) == [first + 1, None]


def test_renewal_of_an_owner_that_was_replaced_fails():
    run = make_run()
    first = own(run)
    Run.objects.filter(id=run.id).update(lease_until=Now())
    second = lease.acquire(run.id, owner="host:2:b", lease_ms=10_000)
    holds = [lease.Hold(run_id=run.id, epoch=epoch) for epoch in (first, second)]
    renewals = at_once(*(lambda hold=hold: lease.renew([hold], lease_ms=10_000) for hold in holds))
    assert renewals == [set(), {run.id}]


def test_one_of_two_owners_appends():
    run = make_run()
    first = own(run)
    Run.objects.filter(id=run.id).update(epoch=F("epoch") + 1)
    results = at_once(*(lambda epoch=epoch: storage.append(run.id, epoch=epoch, batch=batch(1, 3)) for epoch in (first, first + 1)))
    assert [type(result) for result in results] == [storage.LostLease, type(None)]
    assert [record.seq for record in storage.read(run.id, after=0, limit=10)] == [1, 2, 3]


def test_takeover_that_is_not_committed_yet_is_waited_for_and_fences_the_append():
    run = make_run()
    epoch = own(run)
    with ThreadPoolExecutor(1) as other, transaction.atomic():
        Run.objects.filter(id=run.id).update(epoch=epoch + 1)
        append = other.submit(lambda: at_once(lambda: storage.append(run.id, epoch=epoch, batch=batch(1, 1)))[0])
        transaction.on_commit(lambda: None)
    assert isinstance(append.result(), storage.LostLease)


def test_reader_sees_a_batch_whole_or_not_at_all():
    run = make_run()
    epoch, seen = own(run), set()

    def write():
        for last in range(10, 210, 10):
            storage.append(run.id, epoch=epoch, batch=batch(last - 9, last))

    def read():
        while len(found := storage.read(run.id, after=0, limit=1000)) < 200:
            seen.add(len(found))

    assert at_once(write, read) == [None, None]
    assert {count % 10 for count in seen} <= {0}


def test_visitors_who_ask_the_same_at_once_share_one_work(settings):
    settings.SIM_SWEEPS_PER_ADDRESS_MAX = 50
    asks = at_once(*(lambda number=number: ask(owner=f"visitor-{number}") for number in range(8)))
    assert len({row.id for row in asks}) == 8 == SweepAsk.objects.count() and StoredSweep.objects.count() == 1


@pytest.mark.parametrize("time", range(5))
def test_work_that_one_stops_while_another_asks_for_it_goes_on(time):
    first = ask()
    _, second = at_once(lambda: sweep_stop(row=first, owner_key=OWNER), lambda: ask(owner=STRANGER))
    assert read(second).is_open and read(first).state == "stopped"


@pytest.mark.parametrize("time", range(5))
def test_work_that_is_forgotten_while_another_asks_for_it_is_there(time):
    first = ask()
    forgotten, second = at_once(lambda: asks_forget(SweepAsk.objects.filter(id=first.id)), lambda: ask(owner=STRANGER))
    assert forgotten == 1 and read(second).is_open


def test_link_is_whole_though_somebody_acts_on_another_connection_while_it_is_copied(monkeypatch):
    run, is_read, has_acted = busy_run(), Event(), Event()
    share_content = shares.share_content

    def held(**fields):
        is_read.set()
        assert has_acted.wait(30)
        return share_content(**fields)

    def act_meanwhile():
        assert is_read.wait(30)
        acts_and_goes_on(run)
        has_acted.set()

    monkeypatch.setattr(shares, "share_content", held)
    share, acted = at_once(lambda: share_create(run=run), act_meanwhile)
    assert acted is None and run.commands.exclude(applied_seq=None).count() == 1
    assert is_whole(share) and share.content().commands == ()


def test_link_waits_for_an_act_that_is_being_given_and_ends_where_the_log_does():
    run = busy_run()
    Run.objects.filter(id=run.id).update(base_ms=21_000, controls=1)
    drive(Run.objects.get(id=run.id), shown_ms=21_000)
    with ThreadPoolExecutor(1) as other, transaction.atomic():
        act(run)
        link = other.submit(lambda: at_once(lambda: share_create(run=run))[0])
        while not waits_for_a_lock():
            assert not link.done(), link.result()
    assert link.result().content().until_ms == 20_000


def waits_for_a_lock():
    """Whether another connection waits for what this one has changed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return cursor.fetchone()[0] > 0
