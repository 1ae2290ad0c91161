"""Why, for an imported pod: the chain includes what the text proves, marked as such."""

import pytest

from simulator.engine import Record, advance, new_world
from simulator.engine.rules.explain import ExplainedStep, narrate, why
from simulator.imports.build import import_text
from tests.imports import kubectl as told

LIMITED = {"containers": [{**told.container(), "resources": {"limits": {"memory": "512Mi"}}}]}


def records_of(text: str, *, more_ms: int = 400_000, kubernetes: str = "1.30") -> tuple[int, list[Record]]:
    """The moment of import, and everything recorded until some time after it."""
    imported = import_text(text, kubernetes=kubernetes)
    assert imported.header is not None, imported.problems
    world = new_world(imported.header)
    return imported.resume_ms, [*world.first_records, *advance(world, until_ms=imported.resume_ms + more_ms).records]


def chain(records: list[Record], *, machine: str, target: str, after_ms: int) -> tuple[ExplainedStep, ...]:
    seq = next(item.seq for item in records if (item.machine, item.target) == (machine, target) and item.at_ms > after_ms)
    return why(records, seq)


def ended(code: int, reason: str) -> str:
    """A pod in CrashLoopBackOff after such an end."""
    message = f"back-off 2m40s restarting failed container=app pod=web_shop({told.UID})"
    app = told.status("app", told.waiting("CrashLoopBackOff", message), restarts=5, last=told.terminated(600, 602, code, reason))
    return told.listing(told.pod(app, spec=LIMITED, status={"conditions": told.conditions(ready="False", since=602)}))


def said(text: str) -> list[str]:
    resume_ms, records = records_of(text)
    return [step.what for step in chain(records, machine="container", target="running", after_ms=resume_ms)]


def test_a_restart_after_the_import_leads_to_the_memory_limit_before_it() -> None:
    found = said(ended(137, "OOMKilled"))
    after = found.index("The imported past ends here")
    assert "The kernel killed app at its memory limit of 512Mi (OOMKilled, exit code 137)" in found[after:]


def test_a_note_that_was_read_says_so_and_where() -> None:
    resume_ms, records = records_of(ended(137, "OOMKilled"))
    (step,) = [item for item in chain(records, machine="container", target="running", after_ms=resume_ms) if item.rule_id == "IMPORT-READ"]
    assert step.text == "Read, not simulated: the imported text says so (status.containerStatuses[0].lastState.terminated)."


def test_a_kill_for_memory_without_a_limit_is_the_nodes() -> None:
    text = ended(137, "OOMKilled").replace('"limits": {"memory": "512Mi"}', '"limits": {}')
    assert any("its node ran out of memory" in line for line in said(text))


def test_an_end_by_the_program_itself_is_said() -> None:
    assert "The program of app exited on its own with code 42" in said(ended(42, "Error"))


def test_a_code_that_the_program_did_not_choose_is_not_put_down_to_it() -> None:
    assert not [line for line in said(ended(139, "Error")) if "on its own" in line]


def test_a_stop_leads_to_the_event_that_reports_it() -> None:
    app = told.running(70, restarts=1, last=told.terminated(2, 69, 137, "Error"))
    killing = told.event("Killing", "Container app failed liveness probe, will be restarted", 39)
    _, records = records_of(told.listing(told.pod(app), killing), more_ms=0)
    found = [step.what for step in why(records, max(item.seq for item in records if item.machine == "container"))]
    assert "The kubelet stopped app: Container app failed liveness probe, will be restarted" in found
    (note,) = [item for item in records if item.machine == "note" and item.target == "read_stopped"]
    assert note.get("origin") == "event/web.Killing.39"


def test_what_an_event_says_of_a_stop_is_not_a_message_of_the_container() -> None:
    app = told.running(70, restarts=1, last=told.terminated(2, 69, 137, "Error"))
    killing = told.event("Killing", "Stopping container app", 39)
    _, records = records_of(told.listing(told.pod(app), killing), more_ms=0)
    assert not [item for item in records if item.machine == "container_status" and "Stopping" in str(item.get("message"))]


def test_an_attempt_without_an_answer_took_as_long_as_its_probe_waits() -> None:
    spec = {"containers": [{**told.container(), "livenessProbe": {"exec": {"command": ["x"]}, "timeoutSeconds": 3}}]}
    failed = told.event("Unhealthy", "Liveness probe failed: command timed out: context deadline exceeded", 9)
    _, records = records_of(told.listing(told.pod(told.running(2), spec=spec), failed), more_ms=0)
    (tried,) = [item for item in records if item.machine == "probe_attempt"]
    assert (tried.target, tried.get("took_ms")) == ("timeout", 3000)


def test_an_end_that_nobody_saw_is_said_to_be_unseen() -> None:
    lost = {"terminated": {"exitCode": 137, "reason": "ContainerStatusUnknown", "startedAt": None, "finishedAt": None}}
    _, records = records_of(told.listing(told.pod(told.running(300, restarts=1, last=lost))), more_ms=0)
    notes = [item for item in records if item.machine == "note" and item.target == "read_lost"]
    assert [item.rule for item in notes] == ["IMPORT-READ"]


@pytest.mark.parametrize("kubernetes", ["1.22", "1.30", "1.36"])
def test_the_wait_that_goes_on_names_its_window(kubernetes: str) -> None:
    text = told.listing(
        told.pod(
            told.status("app", told.terminated(600, 602), restarts=3, last=told.terminated(400, 402)),
            status={"conditions": told.conditions(ready="False", since=602)},
        ),
        told.event("BackOff", "Back-off restarting failed container app in pod web", 4, last=603, count=3),
    )
    resume_ms, records = records_of(text, kubernetes=kubernetes, more_ms=30_000)
    steps = chain(records, machine="k8s_event", target="BackOff", after_ms=resume_ms)
    assert not [step.text for step in steps if "…" in step.text]


def test_the_narrator_says_once_that_the_past_ends() -> None:
    resume_ms, records = records_of(ended(42, "Error"), more_ms=0)
    lines = [found.english for item in records if item.at_ms == resume_ms and (found := narrate(item)) is not None]
    assert lines.count("The imported past ends here") == 1


def test_every_step_of_an_imported_past_has_a_sentence_of_its_own() -> None:
    pulling = told.event("Pulling", 'Pulling image "registry.example/shop:1.4"', 1)
    _, records = records_of(told.listing(told.pod(told.running(2)), pulling), more_ms=0)
    (found,) = [item for item in records if item.machine == "container" and item.target == "pulling"]
    assert why(records, found.seq)[0].what == "The kubelet began to pull registry.example/shop:1.4 for app"
