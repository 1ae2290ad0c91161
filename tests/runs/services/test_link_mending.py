"""Links as made by earlier releases while somebody acted: found by ``replay_runs``, and repaired."""

import pytest
from django.core.management import call_command
from msgspec.structs import replace

from simulator.engine.acts.all_acts import Applied
from simulator.engine.kernel.records import digest_of
from simulator.models import Milestone, RecordChunk, Run, RunCommand, SharedScenario
from simulator.runs.log import storage
from simulator.runs.log.content import encode_content
from simulator.runs.log.storage import Addition
from simulator.runs.services.link_mending import LinkMend, link_mend
from simulator.runs.services.runs import run_create
from simulator.runs.services.shares import content_so_far, share_content, share_create, shared_run
from simulator.runs.state_notes import state_note
from simulator.scenarios.portable import file_text
from tests.factories import make_content
from tests.runs.log.kept import GONE_RULE, old_run, records_of, rewrite
from tests.runs.services.test_links_while_acting import act, acts_and_goes_on, busy_run, goes_on, is_whole
from tests.web.helpers import play

pytestmark = pytest.mark.django_db


def broken_link(run, work):
    """A link whose run went on between reading its content and its records; the run behind it cannot be repeated."""
    head, content = Run.objects.get(id=run.id), content_so_far(run)
    share = share_content(content=content, title="A link", run=run)
    work(run)
    records = storage.read(run.id, after=0, limit=storage.seq_at(run.id, content.until_ms))
    frozen = run_create(content=content, title="A link", owner_key="", share=share)
    frozen.revision, frozen.header_body = head.revision, head.header_body
    frozen.save(update_fields=["revision", "header_body"])
    places = tuple(Applied(n=row.n, at_ms=row.at_ms, seq=row.applied_seq, outcome=row.outcome) for row in _placed(run, len(records)))
    batch = Addition(records=tuple(records), applied=places, head_seq=len(records), head_ms=head.head_ms, digest=digest_of(records))
    storage.append(frozen.id, epoch=frozen.epoch, batch=batch)
    Run.objects.filter(id=frozen.id).update(state="diverged", state_note=state_note("diverged"))
    return share


def _placed(run, head_seq):
    return run.commands.filter(applied_seq__lte=head_seq).order_by("n")


def frozen_of(share):
    return Run.objects.get(share=share, is_frozen=True)


@pytest.mark.parametrize(("work", "acts"), [(acts_and_goes_on, 1), (goes_on, 0)])
def test_link_gets_back_what_its_records_tell_of(work, acts):
    share = broken_link(busy_run(), work)
    before, body = records_of(frozen_of(share)), share.body
    assert not is_whole(share)
    assert link_mend(run=frozen_of(share)) == LinkMend(share_id=share.id, acts=acts)
    share.refresh_from_db()
    frozen = frozen_of(share)
    assert is_whole(share) and len(share.content().commands) == acts and (share.body != body) == bool(acts)
    assert (records_of(frozen), frozen.state, frozen.state_note, frozen.owner) == (before, "live", {}, "")


def test_several_acts_come_back_behind_those_that_were_known():
    run = busy_run()
    act(run, "first")
    play(Run.objects.get(id=run.id), 21_000)

    def act_twice(run):
        act(run, "second")
        play(Run.objects.get(id=run.id), 22_000)
        act(run, "third")
        play(Run.objects.get(id=run.id), 24_000)

    share = broken_link(run, act_twice)
    assert link_mend(run=frozen_of(share)) == LinkMend(share_id=share.id, acts=2)
    share.refresh_from_db()
    assert is_whole(share) and [stamped.at_ms for stamped in share.content().commands] == [20_000, 21_000, 22_000]


def test_file_of_a_mended_link_has_the_act():
    share = broken_link(busy_run(), acts_and_goes_on)
    link_mend(run=frozen_of(share))
    share.refresh_from_db()
    assert '"do": "delete_pod"' in file_text(share.content(), title="")


def test_link_whose_run_is_gone_shows_what_its_content_gives():
    run = busy_run()
    share = broken_link(run, acts_and_goes_on)
    Run.objects.get(id=run.id).delete()
    assert link_mend(run=frozen_of(share)) == LinkMend(share_id=share.id, is_begun_again=True)
    share.refresh_from_db()
    frozen = frozen_of(share)
    assert (frozen.head_seq, frozen.state, RecordChunk.objects.filter(run=frozen).count()) == (0, "live", 0)
    assert Milestone.objects.filter(run=frozen).count() == 0 and shared_run(share=share) == frozen
    play(frozen, share.content().until_ms)
    assert is_whole(share) and share.content().commands == ()


def test_act_that_is_not_the_one_of_the_records_is_not_taken_for_it():
    run = busy_run()
    share = broken_link(run, acts_and_goes_on)
    RunCommand.objects.filter(run=run).update(body='{"do":"delete_pod","target":"default/other"}')
    assert link_mend(run=frozen_of(share)) == LinkMend(share_id=share.id, is_begun_again=True)


def test_link_of_another_revision_gets_its_act_back_whatever_todays_rules_say():
    share = _broken_old_link()
    assert link_mend(run=frozen_of(share)) == LinkMend(share_id=share.id, acts=1)
    share.refresh_from_db()
    frozen = frozen_of(share)
    assert (frozen.revision, len(share.content().commands), frozen.commands.exclude(applied_seq=None).count()) == (2, 1, 1)
    assert any(record.rule == GONE_RULE for record in records_of(frozen))


def test_link_of_another_revision_whose_run_is_gone_is_left_alone():
    share = _broken_old_link()
    before = records_of(frozen_of(share))
    Run.objects.filter(is_frozen=False).delete()
    assert link_mend(run=frozen_of(share)) is None
    assert records_of(frozen_of(share)) == before


def _broken_old_link():
    """A link to a run of revision 2, whose content lacks the act."""
    run = old_run()
    share = share_create(run=run)
    content = share.content()
    SharedScenario.objects.filter(id=share.id).update(body=encode_content(replace(content, commands=())))
    frozen_of(share).commands.all().delete()
    share.refresh_from_db()
    return share


def test_sound_link_is_left_as_it_is():
    share = share_create(run=busy_run())
    frozen = frozen_of(share)
    rewrite(frozen, replace(records_of(frozen)[2], target="Other"))
    assert link_mend(run=frozen_of(share)) is None


def test_replay_names_and_mends_links_of_this_kind(capsys):
    share = broken_link(busy_run(), acts_and_goes_on)
    call_command("replay_runs")
    out = capsys.readouterr().out
    assert f"{frozen_of(share).id} behind link {share.id}: mended, 1 act put back into its content\n" in out and out.endswith(
        "2 of 2 runs agree\n"
    )
    share.refresh_from_db()
    assert is_whole(share)


@pytest.mark.parametrize(
    ("work", "is_run_gone", "words"),
    [
        (acts_and_goes_on, False, "1 act would be put back into its content"),
        (goes_on, False, "its head would move to where its records end"),
        (acts_and_goes_on, True, "its records do not follow from its content and would be computed again"),
    ],
)
def test_dry_run_names_what_would_be_mended_and_changes_nothing(capsys, work, is_run_gone, words):
    run = busy_run()
    share = broken_link(run, work)
    if is_run_gone:
        Run.objects.filter(id=run.id).delete()
    before = records_of(frozen_of(share))
    with pytest.raises(SystemExit):
        call_command("replay_runs", "--dry-run")
    frozen, out = frozen_of(share), capsys.readouterr().out
    assert f"{frozen.id} behind link {share.id}: {words}\n" in out and out.count(f"{frozen.id} ") == 2
    assert (share.body, records_of(frozen), frozen.state) == (SharedScenario.objects.get(id=share.id).body, before, "diverged")


def test_link_to_the_content_of_before_the_mend_is_another_one():
    share = broken_link(busy_run(), acts_and_goes_on)
    before = share.content()
    link_mend(run=frozen_of(share))
    again = share_content(content=before, title=share.title, parent=share.parent, scenario=share.scenario)
    assert again.id.startswith(share.id) and again.id != share.id and again.content() == before != make_content()
