"""Runs and branches with very many acts: a page counts them and reads only those that it shows."""

import pytest

from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import RunCommand
from simulator.runs.services.runs import encode_command, run_branch
from simulator.web.run.moves import ACTS_MAX, later_context, move_context
from simulator.web.run.refused import refused_facts
from tests.factories import OWNER, make_run
from tests.web.helpers import play, text_of

pytestmark = pytest.mark.django_db
MANY = 300


def give_many(run, *, at_ms, outcome="accepted", key="act"):
    body = encode_command(DeletePod(target="default/nobody"))
    rows = [
        RunCommand(run=run, n=n, client_key=f"{key}-{n}", body=body, at_ms=at_ms + n, applied_seq=n, outcome=outcome)
        for n in range(1, MANY + 1)
    ]
    RunCommand.objects.bulk_create(rows)


@pytest.fixture
def branch():
    main = play(make_run(paused=True), 30_000)
    give_many(main, at_ms=20_000)
    return run_branch(parent=main, owner_key=OWNER, at_ms=10_000)


@pytest.fixture
def read(monkeypatch):
    """The rows that are read inside the block."""
    rows, from_db = [], RunCommand.from_db

    def counted(*args):
        rows.append(args)
        return from_db(*args)

    monkeypatch.setattr(RunCommand, "from_db", counted)
    return rows


def test_later_acts_are_counted_and_the_first_are_named(branch, read):
    later = later_context(branch)
    assert (later["count"], len(later["acts"]), later["more"]) == (MANY, ACTS_MAX, MANY - ACTS_MAX)
    assert len(read) == ACTS_MAX


def test_refused_acts_are_counted_and_the_first_are_named(read):
    run = play(make_run(), 5_000)
    give_many(run, at_ms=1_000, outcome="refused")
    assert refused_facts(run)["count"] == MANY and len(read) < 10


def test_beginning_of_a_branch_is_read_alone(read):
    branch = run_branch(parent=play(make_run(paused=True), 30_000), owner_key=OWNER, at_ms=10_000)
    give_many(branch, at_ms=10_000)
    assert move_context(branch)["at_ms"] == 10_000 and len(read) < 10


def test_page_of_a_branch_says_how_many_later_acts_it_does_not_name(client, branch):
    page = text_of(client.get(f"/r/{branch.id}/"))
    assert f"{MANY} later actions are not part of this branch" in page and f"… and {MANY - ACTS_MAX} more" in page
