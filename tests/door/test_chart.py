"""The chart in docs/deployment/kubernetes: helm lints it without complaints and renders the file that is committed next to it."""

import subprocess
from pathlib import Path

import pytest

from tests.door.clients import HELMS, SECONDS, helm_of

FOLDER = Path(__file__).parents[2] / "docs/deployment/kubernetes"
CHART = FOLDER / "podscope"


def _helm(version: str, home: Path, *words: str) -> str:
    found = subprocess.run(
        [str(helm_of(version)), *words], env={"HOME": str(home), "TZ": "UTC"}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        timeout=SECONDS, check=False,
    )  # fmt: skip
    assert found.returncode == 0, (found.stdout, found.stderr)
    return found.stdout


def _lines(text: str) -> list[str]:
    """Helm 4.3 ends each document with an empty line; other versions do not."""
    return [line for line in text.splitlines() if line]


@pytest.mark.parametrize("version", HELMS)
def test_helm_lints_the_chart(version: str, tmp_path: Path) -> None:
    said = _helm(version, tmp_path, "lint", "--strict", str(CHART))
    assert "1 chart(s) linted, 0 chart(s) failed" in said


@pytest.mark.parametrize("version", HELMS)
def test_helm_renders_the_chart_to_the_committed_file(version: str, tmp_path: Path) -> None:
    # Without a cluster, helm assumes the Kubernetes version of its own release: that of helm 3.8 is older than the chart requires.
    rendered = _helm(version, tmp_path, "template", "podscope", str(CHART), "--kube-version", "1.30.0")
    assert _lines(rendered) == _lines((FOLDER / "podscope.yaml").read_text())
