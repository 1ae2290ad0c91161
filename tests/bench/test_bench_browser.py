import json

import pytest

from simulator.bench.browser import measure, report


@pytest.mark.parametrize(("share", "value"), [(0.5, 5), (0.95, 10), (0.1, 1), (1, 10)])
def test_share_is_a_value_that_was_measured(share, value):
    assert measure.share_of([*range(10, 0, -1)], share) == value


def test_panel_that_did_not_come_counts_as_long_as_it_was_waited_for():
    figures = measure.scrubbed_of([{"drawn": 8.0, "shown": 90.0}, {"drawn": 9.0, "shown": None}])
    assert (figures.drawn_p95, figures.shown_p50, figures.shown_p95) == (9.0, 90.0, 3000.0)


@pytest.mark.parametrize("pods", [50, 500])
def test_crowd_has_as_many_pods_as_asked_for(pods):
    documents = [json.loads(text) for text in measure.crowd(pods).split("\n---\n")]
    assert sum(document["spec"]["replicas"] for document in documents if document["kind"] == "Deployment") == pods


def test_without_a_browser_it_says_so(monkeypatch):
    monkeypatch.setattr(report, "NAMES", ())
    monkeypatch.delenv("PODSCOPE_CHROMIUM", raising=False)
    assert list(report.report()) == [f"browser   left out: {report.NO_CHROMIUM}"]
