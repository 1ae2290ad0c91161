"""How often Events are written: which of two sent in one go the spam filter lets through last."""

import pytest

from tests.engine.worlds import container, events, header, pod, run


@pytest.mark.parametrize(("kubernetes", "last"), [("1.20", "Failed: Error: ImagePullBackOff"), ("1.21", "BackOff: Back-off pulling image")])
def test_last_free_write_goes_to_the_event_that_reaches_the_filter_first(kubernetes: str, last: str) -> None:
    _, records = run(header(pod(container(image="none/none:1")), kubernetes=kubernetes), 200)
    assert events(records)[-1].startswith(last)


def test_pair_of_events_keeps_the_order_in_which_it_was_sent() -> None:
    _, records = run(header(pod(container(image="none/none:1")), kubernetes="1.20"), 5)
    reasons = [text.partition(":")[2].split()[0] for text in events(records)]
    assert reasons[-2:] == ["Back-off", "Error:"]
