"""When a pod's next sync begins."""

from tests.engine.worlds import container, header, pod, run


def test_sync_at_the_end_of_a_back_off_waits_for_a_look_newer_than_the_last_sync() -> None:
    """The back-off of one container ends just after the other was started: with the earlier state, that would be started twice."""
    both = pod(container("exit 0"), container("sleep 10; exit 1", name="side"))
    _, records = run(header(both, kubernetes="1.35"), 40)
    steps = [record.target for record in records if record.machine == "container" and record.subject.endswith("/side")]
    assert steps.count("running") == 3 and steps.count("exited") == 2
