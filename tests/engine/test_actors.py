"""The messages between actors in a sequence diagram."""

import pytest

from simulator.engine import Record
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.rules.actors import ACTORS, actor_of, message_of
from simulator.engine.rules.explain import why
from tests.engine.stories import all_stories
from tests.engine.worlds import container, header, pod, run


def messages(records: list[Record], machine: str, target: str) -> list[tuple[str, str]]:
    """The chain behind the first such record, from its beginning."""
    found = next(record for record in records if (record.machine, record.target) == (machine, target))
    return [message_of(records[step.seq - 1]) for step in reversed(why(records, found.seq))]


def test_deletion_goes_from_the_client_over_the_api_to_the_container() -> None:
    _, records = run(
        header(pod(container("trap '' TERM; while true; do sleep 1; done"))), 12, (5, DeletePod(target="default/p", grace_s=2))
    )
    told = messages(records, "stop", "killed")
    assert told[0] == ("client", "api") and told[-1] == ("runtime", "container")
    assert ("api", "kubelet") in told and ("kubelet", "runtime") in told
    assert told.index(("api", "kubelet")) < told.index(("kubelet", "runtime"))


def test_first_start_goes_from_the_scheduler_to_the_container() -> None:
    _, records = run(header(pod(container("sleep 600"))), 3)
    told = messages(records, "container", "running")
    assert told.index(("scheduler", "api")) < told.index(("kubelet", "runtime")) < told.index(("runtime", "container"))


def test_fault_reaches_the_container_past_the_api() -> None:
    _, records = run(header(pod(container("sleep 600"))), 8, (5, ExitContainer(target="default/p", container="app", exit_code=1)))
    command = next(record for record in records if record.machine == "command")
    assert message_of(command) == ("client", "container")


@pytest.mark.parametrize(
    ("rule", "actor"),
    [("PHASE-RUNNING", "kubelet"), ("SCHEDULE-BIND", "scheduler"), ("REPLICASET-SCALE-UP", "controller"), ("DELETE-GRACEFUL", "api")],
)
def test_source_of_a_rule_names_its_actor(rule: str, actor: str) -> None:
    assert actor_of(rule) == actor


def test_everything_that_stories_tell_has_its_actors() -> None:
    told = {actor for story in all_stories() for record in story.played()[1] for actor in message_of(record)}
    assert told <= set(ACTORS) and told >= set(ACTORS) - {"proxy"}
