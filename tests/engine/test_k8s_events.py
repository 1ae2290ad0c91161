"""How often Events are written: once per death after a deadline; which of two sent at once the spam filter lets through last."""

import pytest

from tests.engine.worlds import TRAP, container, events, header, pod, run


@pytest.mark.parametrize(("kubernetes", "last"), [("1.20", "Failed: Error: ImagePullBackOff"), ("1.21", "BackOff: Back-off pulling image")])
def test_last_free_write_goes_to_the_event_that_reaches_the_filter_first(kubernetes: str, last: str) -> None:
    _, records = run(header(pod(container(image="none/none:1")), kubernetes=kubernetes), 200)
    assert events(records)[-1].startswith(last)


def test_pair_of_events_keeps_the_order_in_which_it_was_sent() -> None:
    _, records = run(header(pod(container(image="none/none:1")), kubernetes="1.20"), 5)
    reasons = [text.partition(":")[2].split()[0] for text in events(records)]
    assert reasons[-2:] == ["Back-off", "Error:"]


@pytest.mark.parametrize("kubernetes", ["1.20", "1.21"])
def test_deadline_is_reported_again_for_every_container_and_sandbox_that_died(kubernetes: str) -> None:
    both = (container(TRAP), container(TRAP, name="b"))
    _, records = run(header(pod(*both, activeDeadlineSeconds=15), kubernetes=kubernetes), 40)
    told = [record for record in records if record.machine == "k8s_event" and record.target == "DeadlineExceeded"]
    assert [record.at_ms / 1000 for record in told] == [15.0, 15.5, 15.5, 15.5]
