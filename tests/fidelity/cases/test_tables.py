"""Facts about Kubernetes, by family: restated here, so that the tests check the agreement without any folder of cases."""

from pathlib import Path
from typing import Any

import pytest

from simulator.fidelity.cases.families import FAMILIES
from simulator.fidelity.cases.run import run_case
from simulator.fidelity.cases.table import Case
from tests.yaml_texts import read_yaml

TABLES: dict[str, list[dict[str, Any]]] = read_yaml((Path(__file__).parent / "tables.yaml").read_text(encoding="utf-8"))
CASES = [(family, Case(case["name"], case["input"], case["expected"])) for family, cases in TABLES.items() for case in cases]
LEAST = 8
WRONG = {
    "defaulting": {"values": {"/spec/restartPolicy": "Sometimes"}},
    "pod_requests": {"requests": {"cpu": "77"}},
    "validation_create": {"valid": False, "errors": [{"type": "Invalid", "field": "spec.nothing"}]},
    "validation_update": {"valid": False, "errors": [{"type": "Invalid", "field": "spec.nothing"}]},
}
"""An expectation that no case of the family meets; for the others a key that no answer has."""


@pytest.mark.parametrize(("family", "case"), CASES, ids=[f"{family}: {case.id}" for family, case in CASES])
def test_fact_holds(family: str, case: Case) -> None:
    outcome = run_case(family, case)
    assert outcome.passed, outcome.got


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_family_has_facts_and_its_judge_reports_a_wrong_one(family: str) -> None:
    assert len(TABLES[family]) >= LEAST
    for case in TABLES[family]:
        assert not run_case(family, Case("wrong", case["input"], WRONG.get(family, {"nonsense": 1}))).passed


def test_every_table_is_of_a_family_that_has_a_judge() -> None:
    assert TABLES.keys() <= FAMILIES.keys()
