"""Every rule id in the code has a sentence, in one place only."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from simulator import engine

MODULES = (
    "kubelet.pods.probes.probe_step",
    "kubelet.pods.sandbox.sandbox_change",
    "kubelet.pods.start.image_pull",
    "kubelet.pods.status.condition_rules",
    "kubelet.pods.status.deadline",
    "kubelet.pods.status.phase_rules",
    "kubelet.pods.sync.pod_actions",
    "model.downward",
    "model.qos",
    "model.requests",
    "policies.backoff",
    "policies.grace",
    "policies.printing",
    "policies.restart_policy",
)
SILENT = ("kubelet.pods.sync.action_types", "kubelet.pods.sync.init_actions")
RULE_ID = re.compile(r"(?:ACTIONS|BACKOFF|GRACE|INITIALIZED|KILL|PHASE|PRINT|PROBE|PULL|QOS|READY|RESTART|SANDBOX)(?:-[A-Z0-9]+)+")


def texts():
    return [rule for name in MODULES for rule in importlib.import_module(f"simulator.engine.{name}").RULES]


def named_ids(module):
    tree = ast.parse((Path(engine.__file__).parent / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"))
    strings = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {text for text in strings if RULE_ID.fullmatch(text)}


def test_rule_ids_are_unique():
    ids = [rule.id for rule in texts()]
    assert sorted(ids) == sorted(set(ids))


@pytest.mark.parametrize("module", [*MODULES, *SILENT])
def test_rule_ids_named_in_code_have_a_text(module):
    assert named_ids(module) <= {rule.id for rule in texts()}


def test_rule_texts_are_sentences_with_a_source():
    assert all(rule.sentence[0].isupper() and rule.sentence[-1] in ".:}" and len(rule.source) > 8 for rule in texts())
