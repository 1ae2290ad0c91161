"""Reloading a run: everything that may have changed, and its header only if that may have."""

import pytest

from simulator.models import Run
from simulator.runs.log.clock import read_again
from tests.factories import make_run

pytestmark = pytest.mark.django_db


def test_everything_that_changed_is_read_in_one_query_without_what_the_run_begins_with(django_assert_num_queries):
    run = make_run()
    Run.objects.filter(id=run.id).update(head_ms=7, state=Run.State.LIMIT, is_paused=True, title="new", header_body=b"{}")
    with django_assert_num_queries(1):
        read_again(run)
    assert (run.head_ms, run.state, run.is_paused, run.title) == (7, "limit", True, "new")
    assert bytes(run.header_body) != b"{}"


def test_run_that_another_revision_has_now_is_read_whole():
    run = make_run()
    Run.objects.filter(id=run.id).update(revision=run.revision + 1, header_body=b"{}", source_body="[]")
    read_again(run)
    assert (bytes(run.header_body), run.source_body) == (b"{}", "[]")


def test_run_that_is_gone_is_an_error():
    run = make_run()
    Run.objects.filter(id=run.id).delete()
    with pytest.raises(Run.DoesNotExist):
        read_again(run)
