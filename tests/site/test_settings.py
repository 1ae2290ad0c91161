import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VARIABLES = re.findall(r'env_\w+\(\s*"([A-Z_]+)"', (ROOT / "lifecycle_site" / "settings.py").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", VARIABLES)
def test_setting_is_described_for_whoever_runs_a_site(name):
    assert f"`{name}`" in (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
