"""A trace of a run: what it says of a container, and what it leaves out."""

from simulator.headless.trace import TraceRecorder
from tests.engine.worlds import container, header, pod


def test_what_a_state_does_not_say_is_left_out() -> None:
    recorder = TraceRecorder(header(pod(container("sleep 2; exit 3"), restartPolicy="Never")))
    recorder.run(20_000)
    seen = recorder.trace(scenario="ends")["pods"]["p"]["timeline"]
    states = [look["containers"]["app"] for look in seen if "containers" in look]
    waiting, ended = states[0], states[-1]
    assert waiting == {"state": "waiting", "reason": "ContainerCreating", "ready": False, "started": False, "restartCount": 0}
    assert [ended[name] for name in ("state", "reason", "exitCode", "ready")] == ["terminated", "Error", 3, False]
    assert "message" not in ended
