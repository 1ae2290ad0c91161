"""Expensive texts: the time of each answer grows only with its length. With a mistake they take minutes.

``manage.py bench hostile`` measures these texts; nothing is timed here. Anything that does not return within MINUTE_S ends the run with a
traceback that names it.
"""

import faulthandler
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml

from simulator.bench.hostile import TEXTS
from simulator.bench.hostile.doors import DOORS
from simulator.engine.apiserver.validation.kinds.go_numbers import duration_problem
from simulator.engine.containers.images.reference import parse_reference
from simulator.engine.model.manifest import default_pull_policy
from simulator.engine.model.quantity import BadQuantity, canonical, parse
from simulator.engine.model.selectors import BadSelector, parse_labels
from simulator.kubectl.yaml import to_yaml
from simulator.manifests.editor.diagnostics import WORDS_MAX, diagnose
from simulator.manifests.editor.preview.differ import diff_lines
from simulator.manifests.read.loader import load

POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: app\n    image: nginx:1.27\n"
N = 100_000
MINUTE_S = 60
FRAMES = 200
KEPT = [text for text in TEXTS if not text.name.startswith(("shell-", "behaviour-"))]
"""The others are handled by containers and their behaviour blocks: tests/engine/containers/test_hostile_scripts.py."""
FLAT = {
    "affinity-many", "arguments-many", "cluster-images", "env-of-many-containers", "import-containers", "import-events", "import-pods",
    "labels-many", "lines-of-a-text", "mounts-many", "patch-containers", "patch-merge-wide", "ports-many", "preview-pod-of-thousands",
    "spread-constraints", "tolerations-many", "unknown-fields", "volume-of-annotations", "volumes-many", "volumes-of-a-config-map",
    "volumes-of-annotations", "wrong-types",
}  # fmt: skip
"""Thousands of siblings, and no nesting beyond that of every pod: if they were handled recursively, any stack would be too
short. These are the most expensive, so they are handled once, from further down the stack."""


@pytest.fixture(autouse=True)
def _no_longer_than_a_minute() -> Iterator[None]:
    faulthandler.dump_traceback_later(MINUTE_S, exit=True, file=sys.__stderr__)
    yield
    faulthandler.cancel_dump_traceback_later()


def deeper(frames: int, act: Callable[[], Any]) -> Any:
    """The result of ``act``, called this many Python frames further down the stack."""
    return act() if not frames else deeper(frames - 1, act)


@pytest.mark.parametrize("text", KEPT, ids=lambda text: text.name)
def test_hostile_text_is_answered_alike_at_any_depth_of_the_stack(text):
    given = text.build()
    answer = deeper(FRAMES, lambda: DOORS[text.door](given))
    assert text.name in FLAT or answer == DOORS[text.door](given)


def test_flat_texts_are_some_of_those_that_are_kept():
    assert {text.name for text in KEPT} >= FLAT


def codes(text: str) -> set[str]:
    return {item.code for item in diagnose(text, kubernetes="1.33").diagnostics}


def test_many_containers_are_advised_together():
    text = POD + "".join(f"  - name: c{n}\n    image: nginx:1.27\n" for n in range(3000))
    assert "pod-best-effort" in codes(text)


def test_many_spread_constraints_are_compared_once():
    one = "  - maxSkew: 1\n    topologyKey: k{}\n    whenUnsatisfiable: DoNotSchedule\n"
    text = POD + "  topologySpreadConstraints:\n" + "".join(one.format(n) for n in [*range(3000), 0])
    assert any("Duplicate value" in item.message for item in diagnose(text, kubernetes="1.33").diagnostics)


def test_long_image_name_is_none():
    assert default_pull_policy("a." * N + "!") == "IfNotPresent"
    assert parse_reference("a." * N + "!") is None


@pytest.mark.parametrize("text", ["0" * N + "!", "1" * N + "!", f"1.{'1' * N}!", f"1e{'9' * N}!"])
def test_long_text_is_not_a_quantity(text):
    with pytest.raises(BadQuantity):
        parse(text)


def test_quantity_of_many_digits_saturates_and_rounds_up():
    assert parse("1" * N).nano == (2**63 - 1) * 10**9
    assert canonical(parse(f"1.5{'0' * N}1")) == "1500000001n"


def test_quick_fix_is_left_out_when_quantity_has_too_many_digits():
    assert "bad-value" in codes(f"{POD}    resources:\n      limits:\n        cpu: '{'1' * N}'\n")


def test_long_texts_are_neither_durations_nor_selectors_nor_numbers():
    assert duration_problem("1" * N).startswith("time: missing unit")
    with pytest.raises(BadSelector):
        parse_labels("a" + " " * N + "!")
    assert to_yaml({"a": "1" * N + "!"}) == f"a: {'1' * N}!\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a: 1\nb: " + "[" * N, "too-deep"),
        ("a: 1\nb: " + "{a: " * N, "too-deep"),
        ("- 1\n" + "- " * N, "too-deep"),
        ("- 1\n- [" + "a," * N, "too-many-values"),
        ("- 1\n- &a [" + "1," * 9999 + "]\n" + "- *a\n" * 9, "too-many-values"),
        ("a\n---\n" * 300, "too-many-documents"),
    ],
)
def test_text_that_is_nested_or_long_beyond_measure_is_refused_with_its_line(text, code):
    problem = load(text).problems[0]
    assert (problem.code, problem.line > 1) == (code, True)


def test_memory_of_a_nested_text_stays_small():
    text = "a: " + "[" * 900_000
    tracemalloc.start()
    load(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * len(text)


def test_empty_documents_cost_no_parser():
    assert load("---\n" * N).documents == ()
    assert [raw.value for raw in load("---\n" * N + "a: 1").documents] == [{"a": 1}]


def test_reading_stops_when_nothing_but_errors_comes():
    assert len(load("---\n]\n" * N).problems) == 100


def test_message_is_cut_when_value_is_as_long_as_the_text():
    report = diagnose(POD.replace("web", "a" * N), kubernetes="1.33")
    assert max(len(item.message) for item in report.diagnostics) == WORDS_MAX


def test_lines_that_come_again_and_again_are_compared_in_time():
    found = diff_lines({"l": ["a"] * 1900}, {"l": ["a", "b"] * 950})
    assert {line.op for line in found} >= {"-", "+"}


@pytest.mark.parametrize("text", ['{"a":' * 2000 + "1" + "}" * 2000, '{"a":[' * 2000 + "]}" * 2000])
def test_text_that_is_nested_beyond_measure_is_read_no_further_than_its_depth(text, monkeypatch):
    read, parse = 0, yaml.parse

    def counting(*args, **kwargs):
        nonlocal read
        for event in parse(*args, **kwargs):
            read += 1
            yield event

    monkeypatch.setattr(yaml, "parse", counting)
    assert load(text).problems
    assert read < 1000
