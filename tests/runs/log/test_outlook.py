"""How far one look leads."""

import pytest

from simulator.engine.acts.pods.delete import DeletePod
from simulator.runs.log.outlook import AHEAD_MS, Standpoint
from tests.factories import make_run
from tests.web.helpers import play

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("until_ms", "reached_ms"), [(20_000, 20_000), (3 * AHEAD_MS, 10_000 + AHEAD_MS)])
def test_look_at_an_act_ends_where_it_is_asked_to_and_an_hour_ahead_at_the_latest(until_ms, reached_ms):
    here = Standpoint(play(make_run(paused=True), 10_000), at_ms=10_000)
    assert here.is_there
    assert here.after_command(DeletePod(target="default/web"), until_ms=until_ms).until_ms == reached_ms
