"""``manage.py cluster``: a command with a cluster's address, its exit code, and the run as a file."""

import subprocess
import sys
from pathlib import Path

from simulator.scenarios.portable import Limits, read_file

ROOT = Path(__file__).resolve().parents[2]
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers: [{name: main, image: nginx}]\n"
ASKS = """
import os, urllib.request, yaml
server = yaml.safe_load(open(os.environ["KUBECONFIG"]))["clusters"][0]["cluster"]["server"]
urllib.request.urlopen(os.environ["PODSCOPE_CLOCK"] + "?for=30", data=b"")
print(urllib.request.urlopen(server + "/api/v1/namespaces/default/pods/web").read().decode())
raise SystemExit(3)
"""


def cluster(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "manage.py"), "cluster", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)


def test_a_command_talks_to_the_cluster_and_leaves_a_run(tmp_path):
    (tmp_path / "pod.yaml").write_text(POD)
    done = cluster("-f", "pod.yaml", "--kubernetes", "1.30", "--", sys.executable, "-c", ASKS, cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    assert '"phase":"Running"' in done.stdout
    content, _ = read_file((tmp_path / "cluster.podscope.json").read_text(), Limits(commands_max=100, until_ms_max=3_600_000))
    assert content.header.kubernetes == "1.30"
    assert content.until_ms >= 30_000
    assert content.source.manifests == POD


def test_a_command_that_does_not_exist_ends_as_in_a_shell(tmp_path):
    done = cluster("--save", "", "--", "no-such-command", cwd=tmp_path)
    assert (done.returncode, list(tmp_path.iterdir())) == (127, [])
    assert "no-such-command" in done.stderr


def test_a_bad_option_is_refused(tmp_path):
    assert "--rate: must be greater than 0" in cluster("--rate", "0", "--", "true", cwd=tmp_path).stderr
    assert "is not a duration" in cluster("--skip", "soon", "--", "true", cwd=tmp_path).stderr
