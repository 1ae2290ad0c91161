"""Waiting for SQLite's write lock: at an even pace, requests more often, and no longer than allowed."""

import sqlite3
from contextlib import closing
from threading import Thread

import pytest
from django.db import OperationalError, connection, transaction

from lifecycle_site.sqlite import base
from simulator.models import Runner

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.skipif("connection.vendor != 'sqlite'")]


class Held:
    """Another connection that holds the lock, and releases it at the ``count``-th sleep of a waiter."""

    def __init__(self, monkeypatch, count):
        self.slept = []
        self._count = count
        self._other = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
        self._other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(base, "sleep", self._sleep)
        monkeypatch.setattr(base, "monotonic", lambda: sum(self.slept))

    def _sleep(self, seconds):
        self.slept.append(seconds)
        if len(self.slept) == self._count:
            self._other.execute("ROLLBACK")

    def close(self):
        self._other.close()


@pytest.fixture
def wrapper():
    connection.close()
    connection.ensure_connection()
    yield connection
    connection.close()


def write():
    with transaction.atomic():
        Runner.objects.filter(name="nobody").update(runs=1)


def write_alone():
    Runner.objects.filter(name="nobody").update(runs=1)


@pytest.mark.parametrize("how", [write, write_alone])
def test_whoever_waits_asks_at_an_even_pace_until_the_lock_is_free(wrapper, monkeypatch, how):
    with closing(Held(monkeypatch, 50)) as held:
        how()
    assert held.slept == [base.PAUSE_S] * 50


def test_request_asks_more_often(wrapper, monkeypatch):
    wrapper.hurry(patience_s=5)
    with closing(Held(monkeypatch, 50)) as held:
        write()
    assert held.slept == [base.REQUEST_PAUSE_S] * 50


def test_nobody_waits_longer_than_they_may(wrapper, monkeypatch):
    wrapper.hurry(patience_s=1)
    with closing(Held(monkeypatch, -1)) as held, pytest.raises(OperationalError, match="locked"):
        write()
    assert sum(held.slept) == pytest.approx(1, abs=0.01)


def test_patience_runs_out_at_its_very_end(wrapper, monkeypatch):
    wrapper.hurry(patience_s=2 * base.REQUEST_PAUSE_S)
    with closing(Held(monkeypatch, -1)) as held, pytest.raises(OperationalError, match="locked"):
        write()
    assert len(held.slept) == 2


def test_commit_that_readers_are_in_the_way_of_is_asked_again(wrapper, monkeypatch):
    pauses, commit = [], base.base.DatabaseWrapper._commit

    def refused_once(own):
        if not pauses:
            with closing(Held(monkeypatch, -1)), closing(sqlite3.connect(own.settings_dict["NAME"], timeout=0)) as other:
                try:
                    other.execute("BEGIN IMMEDIATE")
                except sqlite3.OperationalError as busy:
                    monkeypatch.setattr(base, "sleep", pauses.append)
                    raise OperationalError("database is locked") from busy
        return commit(own)

    wrapper.set_autocommit(False)
    monkeypatch.setattr(base.base.DatabaseWrapper, "_commit", refused_once)
    wrapper.commit()
    wrapper.set_autocommit(True)
    assert pauses == [base.PAUSE_S]


def test_patience_of_a_request_ends_with_its_connection(wrapper):
    wrapper.hurry(patience_s=1)
    wrapper.close()
    wrapper.ensure_connection()
    assert (wrapper.patience_s, wrapper.pause_s) == (wrapper.settings_dict["OPTIONS"]["timeout"], base.PAUSE_S)


def test_other_errors_are_not_asked_again(wrapper, monkeypatch):
    monkeypatch.setattr(base, "sleep", lambda seconds: pytest.fail("it slept"))
    with pytest.raises(OperationalError, match="no such table"), connection.cursor() as cursor:
        cursor.execute("SELECT * FROM no_such")


def test_writers_of_several_threads_all_come_to_it(wrapper):
    Runner.objects.create(name="all", beat_at="2026-01-01T00:00:00Z")

    def add():
        for _ in range(20):
            with transaction.atomic():
                row = Runner.objects.get(name="all")
                row.runs += 1
                row.save()
        connection.close()

    threads = [Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Runner.objects.get(name="all").runs == 80
