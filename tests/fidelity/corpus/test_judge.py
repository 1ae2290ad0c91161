"""Examples with promises: a small corpus is written, run and judged."""

import json
from pathlib import Path
from typing import Any

import pytest

from simulator.fidelity.corpus.compare import COMPARE
from simulator.fidelity.corpus.index import Corpus, read_corpus
from simulator.fidelity.corpus.judge import judge_example

POD = """
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  restartPolicy: Never
  containers:
  - name: app
    image: busybox:1.28
    env: [{name: COLOUR, value: green}]
    command: [sh, -c, "echo $COLOUR > /tmp/seen; echo begun; sleep 10; exit 3"]
"""


def corpus(tmp_path: Path, *expectations: dict[str, Any], text: str = POD, kind: str = "Pod", **more: Any) -> Corpus:
    """A corpus of one example with these expectations."""
    (tmp_path / "web.yaml").write_text(text, encoding="utf-8")
    promised = [{"id": f"web#{n}", **given} for n, given in enumerate(expectations, 1)]
    example = {"name": "web", "manifest": "web.yaml", "kinds": [kind], "expectations": promised, **more}
    (tmp_path / "index.json").write_text(json.dumps({"examples": [example]}), encoding="utf-8")
    return read_corpus(tmp_path)


def outcome(read: Corpus) -> str:
    """The outcome of the first expectation of the only example."""
    return judge_example(read, read.examples[0])[0].outcome


HELD = [
    {"what": "phase", "op": "eq", "value": "Running", "at_s": 5},
    {"what": "status_column", "op": "eq", "value": "Error", "t0": "started", "window": [9, 14], "mode": "eventually"},
    {"what": "restarts", "op": "eq", "value": 0, "window": [2, 20], "mode": "always"},
    {"what": "env", "op": "eq", "value": "green", "at_s": 5, "selector": {"container": "app", "name": "COLOUR"}},
    {"what": "file", "op": "matches", "value": "^gre", "at_s": 5, "selector": {"container": "app", "path": "/tmp/seen"}},
    {"what": "file", "op": "exists", "value": False, "at_s": 5, "selector": {"path": "/tmp/other"}},
    {"what": "log", "op": "line_matches_any", "value": "^begun$", "at_s": 5, "selector": {"container": "app"}},
    {"what": "event", "op": "seq", "value": ["Scheduled", "Started"], "at_s": 5, "selector": {"type": "Normal"}},
    {"what": "container_state", "op": "matches", "value": {"state": "terminated", "exitCode": 3}, "at_s": 15},
    {"what": "condition", "op": "eq", "value": "True", "at_s": 5, "selector": {"label": "app=web", "type": "Ready"}},
    {"what": "spec_default", "op": "eq", "value": "IfNotPresent", "selector": {"path": "spec.containers[0].imagePullPolicy"}},
    {"what": "order", "op": "eq", "value": ["app started", "app terminated"], "mode": "end"},
]


@pytest.mark.parametrize("promise", HELD, ids=lambda promise: f"{promise['what']}-{promise['op']}")
def test_promise_holds_when_the_run_keeps_it(tmp_path, promise):
    assert outcome(corpus(tmp_path, promise)) == "held"


BROKEN = [
    {"what": "phase", "op": "eq", "value": "Succeeded", "at_s": 15},
    {"what": "phase", "op": "eq", "value": "Running", "window": [2, 20], "mode": "always"},
    {"what": "phase", "op": "eq", "value": "Failed", "window": [16, 20], "mode": "eventually"},
    {"what": "event", "op": "count_ge", "value": 1, "at_s": 15, "selector": {"reason": "BackOff"}},
    {"what": "order", "op": "eq", "value": ["app terminated", "app started"], "mode": "end"},
    {"what": "phase", "op": "eq", "value": "Running", "at_s": 5, "selector": {"pod": "nobody"}},
    {"what": "hostname", "op": "eq", "value": "web", "at_s": 5},
    {"what": "rejected", "op": "matches", "value": "forbidden"},
]


@pytest.mark.parametrize("promise", BROKEN, ids=lambda promise: f"{promise['what']}-{promise['op']}-{promise.get('mode', 'at')}")
def test_promise_fails_when_the_run_breaks_it(tmp_path, promise):
    assert outcome(corpus(tmp_path, promise)) == "failed"


def test_refusal_is_found_when_the_manifest_cannot_be_read(tmp_path):
    assert outcome(corpus(tmp_path, {"what": "rejected", "op": "matches", "value": "tab"}, text="kind: Pod\n\tmetadata: {}\n")) == "held"


def test_promise_is_left_out_when_a_controller_makes_the_pods(tmp_path):
    assert outcome(corpus(tmp_path, {"what": "phase", "op": "eq", "value": "Running"}, kind="Job")) == "left_out"


def test_step_is_carried_out_when_its_second_comes(tmp_path):
    steps = [{"id": "gone", "at_s": 3, "do": "delete_pod", "name": "web"}]
    promise = {"what": "event", "op": "count_ge", "value": 1, "t0": "action:gone", "at_s": 1, "selector": {"reason": "Killing"}}
    assert outcome(corpus(tmp_path, promise, steps=steps)) == "held"


def test_promise_fails_when_its_step_is_not_a_command(tmp_path):
    promise = {"what": "phase", "op": "eq", "value": "Running", "t0": "action:odd", "at_s": 1}
    assert outcome(corpus(tmp_path, promise, steps=[{"id": "odd", "do": "dance"}])) == "failed"


@pytest.mark.parametrize(
    ("op", "found", "wanted", "holds"),
    [
        ("eq", {"state": "running"}, "running", True),
        ("eq", {"status": 200, "body": "x"}, {"status": 200}, True),
        ("matches", {"state": "terminated", "message": "see here"}, {"message": "^here"}, False),
        ("line_count_between", "a\nb\n", [3, 4], False),
        ("line_matches", "0: x\n1: y\n", {"1": "^1: "}, True),
        ("contains", ["a", "b"], ["b"], True),
        ("empty", "", True, True),
        ("absent", None, None, True),
    ],
)
def test_comparison_says_whether_it_holds(op, found, wanted, holds):
    assert COMPARE[op](found, wanted) is holds
