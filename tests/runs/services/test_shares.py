import pytest

from simulator.engine.course.replay import Course
from simulator.models import Run, Scenario, SharedScenario
from simulator.runs.log import storage
from simulator.runs.log.content import content_id, encode_content
from simulator.runs.permissions import role_of
from simulator.runs.services import runs
from simulator.runs.services.runs import run_create
from simulator.runs.services.shares import share_content, share_create, shared_run
from tests.factories import OWNER, make_content, make_run, pod_json
from tests.runs.log.kept import old_run, records_of
from tests.web.helpers import play

pytestmark = pytest.mark.django_db


def test_link_is_the_same_when_the_content_is():
    first, second = (share_content(content=make_content(), title="x") for _ in range(2))
    assert first == second


def test_link_is_another_when_the_content_differs():
    first, second = (share_content(content=make_content(pod_json(name)), title="x") for name in "ab")
    assert first != second


WORDS = ("x", "", "")
"""The texts of a link without parent and scenario, with the title x."""


def test_link_is_another_when_its_words_differ():
    content, scenario = make_content(), Scenario.objects.create(slug="s", title="S", body="{}")
    plain = share_content(content=content, title="x")
    others = [{"title": "y"}, {"title": "x", "parent": plain}, {"title": "x", "scenario": scenario}]
    assert len({plain.id, *(share_content(content=content, **words).id for words in others)}) == 4


def test_link_has_ten_letters_of_the_digest_of_all_that_it_shows():
    content = make_content()
    link_id = share_content(content=content, title="x").id
    assert link_id == content_id(content, *WORDS) != content_id(content) and len(link_id) == 10


def test_link_grows_by_a_letter_when_it_would_collide():
    content = make_content()
    SharedScenario.objects.create(id=content_id(content, *WORDS), title="x", body=encode_content(make_content(pod_json("b"))))
    assert share_content(content=content, title="x").id == content_id(content, *WORDS, length=11)


def test_shared_run_carries_commands_and_moment():
    run = make_run(paused=True, at_ms=30_000)
    run.commands.create(n=1, client_key="a", body=runs.encode_command(_delete()), at_ms=4000, applied_seq=9)
    content = share_create(run=run).content()
    assert ([stamped.at_ms for stamped in content.commands], content.until_ms) == ([4000], 30_000)


def _delete():
    from simulator.engine.acts.pods.delete import DeletePod

    return DeletePod(target="default/web")


def test_run_behind_a_link_is_made_once_and_belongs_to_nobody():
    share = share_create(run=make_run(paused=True))
    run = shared_run(share=share)
    assert shared_run(share=share) == run
    assert (run.is_paused, run.is_frozen, role_of(run, OWNER), role_of(run, "")) == (True, True, "viewer", "viewer")


def test_opening_a_link_again_writes_nothing(django_assert_num_queries):
    share = share_create(run=make_run(paused=True))
    shared_run(share=share)
    with django_assert_num_queries(1):
        shared_run(share=share)


def test_sharing_a_frozen_run_gives_its_own_link():
    share = share_create(run=make_run(paused=True))
    assert share_create(run=shared_run(share=share)) == share


def test_link_of_a_fork_names_the_link_it_was_forked_from():
    share = share_create(run=make_run(paused=True))
    fork = run_create(content=share.content(), title="fork", owner_key=OWNER, share=share, at_ms=1000)
    assert share_create(run=fork).parent == share


def test_link_keeps_the_records_of_its_run_without_computing_them(monkeypatch):
    run = play(make_run(), 20_000)
    monkeypatch.setattr(Course, "drive", None)
    share = share_create(run=run)
    frozen = Run.objects.get(share=share)
    assert (records_of(frozen), frozen.head_ms, bytes(frozen.head_digest)) == (records_of(run), 20_000, bytes(run.head_digest))


def test_link_keeps_its_records_when_the_run_is_gone():
    run = play(make_run(), 20_000)
    share, before = share_create(run=run), records_of(run)
    run.delete()
    share.refresh_from_db()
    assert records_of(shared_run(share=share)) == before


def test_link_keeps_where_its_commands_took_their_place():
    run = old_run(differs=False)
    frozen = shared_run(share=share_create(run=run))
    assert list(frozen.commands.values_list("at_ms", "applied_seq", "outcome")) == list(
        run.commands.values_list("at_ms", "applied_seq", "outcome")
    )


def test_link_keeps_milestones():
    run = play(make_run(), 20_000)
    frozen = shared_run(share=share_create(run=run))
    assert list(frozen.milestones.values_list("seq", "target")) == list(run.milestones.values_list("seq", "target")) != []


def test_link_of_an_old_run_keeps_what_was_recorded():
    run = old_run()
    frozen = shared_run(share=share_create(run=run))
    assert (frozen.revision, records_of(frozen)) == (2, records_of(run))


def test_second_link_to_the_same_content_copies_nothing():
    run = play(make_run(paused=True), 20_000)
    share = share_create(run=run)
    run.refresh_from_db()
    assert (share_create(run=run), Run.objects.filter(share=share, is_frozen=True).count()) == (share, 1)


def test_frozen_run_that_another_revision_made_and_never_computed_is_recreated():
    share = share_content(content=make_content(), title="x")
    void = shared_run(share=share)
    Run.objects.filter(id=void.id).update(revision=2)
    assert shared_run(share=share).id != void.id
    assert storage.read(shared_run(share=share).id, after=0, limit=1) == []
