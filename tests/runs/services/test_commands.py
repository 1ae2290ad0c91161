import pytest

from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.delete import DeletePod
from simulator.models import Run
from simulator.runs.log.clock import is_resting
from simulator.runs.services.commands import command_submit, command_submit_at, command_submit_by_key
from simulator.runs.services.errors import LimitReached, NotAllowed, Refused
from tests.factories import OWNER, STRANGER, make_run

pytestmark = pytest.mark.django_db
DELETE = DeletePod(target="default/web", grace_s=5)


def submit(run, *, owner_key=OWNER, command=DELETE, client_key="k1"):
    return command_submit(run=run, owner_key=owner_key, command=command, client_key=client_key)


def test_command_waits_until_its_moment_is_fixed():
    row = submit(make_run())
    assert (row.n, row.at_ms, row.outcome, row.command()) == (1, None, "pending", DELETE)


def test_command_is_stored_once_when_its_key_comes_again():
    run = make_run()
    assert submit(run) == submit(run)
    assert run.commands.count() == 1


def test_commands_are_numbered_in_order():
    run = make_run()
    assert [submit(run, client_key=key).n for key in "abc"] == [1, 2, 3]


def test_command_is_refused_when_a_stranger_gives_it():
    with pytest.raises(NotAllowed):
        submit(make_run(), owner_key=STRANGER)


def test_command_is_refused_when_the_run_has_ended():
    run = make_run()
    Run.objects.filter(id=run.id).update(state=Run.State.FAILED)
    with pytest.raises(Refused):
        submit(run)


def test_command_is_refused_when_the_run_has_taken_enough(settings):
    settings.SIM_COMMANDS_PER_RUN_MAX = 1
    run = make_run()
    submit(run)
    with pytest.raises(LimitReached):
        submit(run, client_key="k2")


def test_command_is_refused_when_all_commands_together_are_too_large(settings):
    settings.SIM_COMMAND_BYTES_PER_RUN_MAX = 150
    run = make_run()
    submit(run)
    with pytest.raises(LimitReached):
        submit(run, command=ApplyManifest(documents=("x" * 100,)), client_key="k2")


def test_command_counts_with_all_that_were_given_before(settings):
    """None of them is too large on its own."""
    run = make_run()
    size = len(submit(run).body)
    settings.SIM_COMMAND_BYTES_PER_RUN_MAX = 3 * size
    submit(run, client_key="k2")
    submit(run, client_key="k3")
    with pytest.raises(LimitReached):
        submit(run, client_key="k4")


def test_command_is_refused_when_it_brings_too_many_objects(settings):
    settings.SIM_RUN_PODS_MAX = 2
    with pytest.raises(LimitReached):
        submit(make_run(), command=ApplyManifest(documents=("{}", "{}", "{}")))


def test_command_brings_as_many_objects_as_a_run_may_hold(settings):
    settings.SIM_RUN_PODS_MAX = 2
    assert submit(make_run(), command=ApplyManifest(documents=("{}", "{}"))).n == 1


@pytest.mark.parametrize(("owner_key", "may_write"), [(OWNER, False), ("", True)])
def test_command_by_a_key_is_refused_when_it_only_reads_and_on_a_frozen_run(owner_key, may_write):
    run = make_run(owner_key=owner_key)
    with pytest.raises(NotAllowed):
        command_submit_by_key(run=run, command=DELETE, client_key="k1", may_write=may_write)


def at(run, **fields):
    values = {"owner_key": OWNER, "command": DELETE, "client_key": "k1"}
    return command_submit_at(run=run, **(values | fields))


def test_command_stays_on_the_run_when_it_is_given_now():
    run = make_run()
    assert at(run)[0] == run


def test_command_goes_to_a_branch_when_it_is_given_in_the_past():
    run = make_run(at_ms=9000)
    branch, row = at(run, at_ms=4000)
    assert (branch.parent, branch.parent_ms, row.run, run.commands.count()) == (run, 4000, branch, 0)


def test_command_goes_to_a_branch_of_ones_own_when_a_stranger_gives_it():
    run = make_run()
    branch, _ = at(run, owner_key=STRANGER)
    assert submit(branch, owner_key=STRANGER, client_key="k2").run == branch != run


def test_command_makes_one_branch_when_its_key_comes_again():
    run = make_run(at_ms=9000)
    assert at(run, at_ms=4000) == at(run, at_ms=4000)


def test_equal_keys_of_two_people_make_two_branches():
    run = make_run(paused=True)
    mine, _ = at(run, at_ms=0)
    theirs, _ = at(run, at_ms=0, owner_key=STRANGER)
    assert mine != theirs


def test_command_is_refused_when_its_record_cannot_exist():
    with pytest.raises(Refused):
        at(make_run(paused=True), at_ms=0, at_seq=10**30)


def test_command_of_a_moment_to_come_lets_the_run_go_there_and_wait_for_the_command():
    run = make_run(at_ms=9000)
    there, _row = at(run, run_to_ms=20_000)
    run.refresh_from_db()
    assert (there.id, run.base_ms, run.is_paused, is_resting(run)) == (run.id, 20_000, False, True)


def test_command_of_a_moment_that_has_passed_meanwhile_goes_to_a_branch():
    run = make_run(at_ms=9000)
    branch, _row = at(run, run_to_ms=4000)
    assert (branch.parent, branch.parent_ms) == (run, 4000)


def test_command_of_a_moment_to_come_is_given_once_when_its_key_comes_again():
    run = make_run(at_ms=9000, paused=True)
    first = at(run, run_to_ms=20_000)
    assert at(run, run_to_ms=20_000) == first
    assert run.commands.count() == 1


def test_stranger_gives_a_command_of_a_moment_to_come_on_a_branch_that_stands_there():
    run = make_run(at_ms=9000)
    branch, _row = at(run, run_to_ms=20_000, owner_key=STRANGER)
    assert (branch.parent, branch.stands_ms) == (run, 20_000)
