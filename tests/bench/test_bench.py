import pytest

from simulator.bench import engine


def test_startup_counts_every_pod_that_becomes_ready():
    figures = engine.startup(3)
    assert (figures.pods, figures.ready) == (3, 3)


def test_nodes_are_as_many_as_the_pods_need():
    header = engine.make_header([engine.quiet_pod("p")] * (engine.PODS_A_NODE + 1))
    assert len(header.cluster.nodes) == 2


@pytest.mark.parametrize("measure", [engine.event_rate, engine.simpy_rate])
def test_rates_are_positive(measure, monkeypatch):
    monkeypatch.setattr(engine, "EVENTS", 10_000)
    fields = {"processes": 3} if measure is engine.simpy_rate else {"pods": 3}
    rate = measure(**fields)
    assert (rate if isinstance(rate, int) else rate.events_s) > 0
