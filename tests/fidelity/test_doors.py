"""The judges use the same interfaces as the product: nothing private, and no function that exists only for them."""

import re
from pathlib import Path

SIMULATOR = Path(__file__).parents[2] / "simulator"
COMMANDS = SIMULATOR / "management" / "commands"
JUDGES = {*(SIMULATOR / "fidelity").rglob("*.py"), *(COMMANDS / f"{name}.py" for name in ("conformance", "docs_corpus", "api_answers"))}
IMPORT = re.compile(r"^from (simulator[\w.]*) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
FUNCTION = re.compile(r"^def (\w+)", re.MULTILINE)
FOR_JUDGES = {
    "short_human_duration": "Nothing that a run prints uses the short form; the row of the family says so.",
    "to_status": "Reads what a case holds as JSON; a run only writes it.",
}
"""Functions that no other part of the product calls, and why they exist."""


def imported(text: str) -> set[tuple[str, str]]:
    """Module and name of what a file of the project imports by name."""
    found = ((module, many or one) for module, many, one in IMPORT.findall(text))
    return {(module, name.strip().partition(" as ")[0]) for module, names in found for name in names.split(",") if name.strip()}


def functions(module: str) -> set[str]:
    """The functions of a module; none of a package."""
    path = SIMULATOR.parent / Path(*module.split(".")).with_suffix(".py")
    return set(FUNCTION.findall(path.read_text(encoding="utf-8"))) if path.is_file() else set()


def test_judges_import_nothing_private() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in JUDGES}
    assert [(name, what) for name, text in texts.items() for _, what in imported(text) if what.startswith("_")] == []


def test_judges_call_nothing_that_is_there_for_them_alone() -> None:
    others = "\n".join(path.read_text(encoding="utf-8") for path in SIMULATOR.rglob("*.py") if path not in JUDGES)
    spoken = set(re.findall(r"\w+", FUNCTION.sub("", others)))
    asked = {item for path in JUDGES for item in imported(path.read_text(encoding="utf-8")) if item[0].startswith("simulator.engine")}
    alone = {name for module, name in asked if name in functions(module) and name not in spoken}
    assert alone == FOR_JUDGES.keys()
