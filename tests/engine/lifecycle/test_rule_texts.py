"""Every rule id that the code names has a sentence, in one place only."""

import ast
import importlib
import re
from pathlib import Path

import pytest

from simulator.engine import lifecycle, model

MODULES = (
    "actions",
    "backoff",
    "conditions",
    "deadline",
    "downward",
    "grace",
    "image_pull",
    "phase",
    "printing",
    "probe_step",
    "qos",
    "requests",
    "restart",
    "sandbox",
)
SILENT = ("action_types", "init_actions")
RULE_ID = re.compile(r"(?:ACTIONS|BACKOFF|GRACE|INITIALIZED|KILL|PHASE|PRINT|PROBE|PULL|QOS|READY|RESTART|SANDBOX)(?:-[A-Z0-9]+)+")


def home(name):
    """The package that holds a module of rules."""
    return lifecycle if (Path(lifecycle.__file__).parent / f"{name}.py").exists() else model


def texts():
    return [rule for name in MODULES for rule in importlib.import_module(f"{home(name).__name__}.{name}").RULES]


def named_ids(module):
    tree = ast.parse((Path(home(module).__file__).parent / f"{module}.py").read_text(encoding="utf-8"))
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
