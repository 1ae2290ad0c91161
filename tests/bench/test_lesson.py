"""The class bench on a small scale: a real site, a teacher with the wall and two pupils with attempts of their own."""

import pytest

from simulator.bench.lesson import report, scene
from simulator.bench.site import measured_site


@pytest.fixture(scope="module")
def site():
    with measured_site() as running:
        yield running


async def test_pupils_begin_act_and_check_and_the_wall_shows_it(site, monkeypatch):
    monkeypatch.setattr(scene, "ACTS_EVERY_S", (0.1, 0.2))
    monkeypatch.setattr(scene, "CHECKS_EVERY_S", (0.2, 0.4))
    seen = await scene.lesson(site.port, 2, 2.0, joins_s=0.0)
    assert seen["troubles"] == {}
    assert seen["checks"] >= 2
    assert 0 < seen["own_ms"][0] <= seen["first_ms"][0] < scene.FIRST_S_MAX * 1000
    assert 0 < seen["behind_ms"][2] < scene.SHOWN_S_MAX * 1000


@pytest.mark.parametrize(("p95", "is_over"), [(2000, False), (2001, True)])
def test_figure_over_its_bar_is_marked(p95, is_over):
    assert ("is over" in report.judged({"checks_ms": [1, p95, p95]}, "checks_ms")) == is_over
