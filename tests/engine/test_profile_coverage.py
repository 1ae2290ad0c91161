"""Which settings of a version profile the engine reads. ``make golden`` rewrites the list of those that it does not read yet."""

import json
import re
from pathlib import Path

from simulator.engine.versions import BARE_GATES, FIELDS
from simulator.fidelity.measured import UNREAD

ENGINE = Path(__file__).parents[2] / "simulator"


def unread() -> list[str]:
    """Profile fields, and gates without one, whose name does not occur in the code that runs worlds and reads documents."""
    told = ENGINE / "web" / "texts.py"  # notes about settings, collected for translation
    files = [path for path in ENGINE.rglob("*.py") if not {"versions", "fidelity"} & set(path.parts) and path != told]
    words = set(re.findall(r"\w+", " ".join(path.read_text(encoding="utf-8") for path in files)))
    return [name for name in (*FIELDS, *BARE_GATES) if name not in words]


def test_settings_that_nothing_reads_are_listed(golden) -> None:  # noqa: ANN001 - a fixture of the root conftest
    golden(UNREAD, json.dumps(unread(), indent=1) + "\n")
