"""The package that pipx installs, built here and run from a folder other than the checkout."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from lifecycle_site.installed import user_data_dir
from tests.e2e.site import free_port

ROOT = Path(__file__).resolve().parents[2]
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers: [{name: main, image: nginx}]\n"


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The folder that the wheel was unpacked into."""
    built, unpacked = tmp_path_factory.mktemp("dist"), tmp_path_factory.mktemp("site-packages")
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--wheel-dir", str(built))
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(ROOT)], check=True, timeout=200)
    (wheel,) = built.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(unpacked)
    return unpacked


@pytest.fixture
def podscope(package, tmp_path):
    """Run the installed command in an empty folder, as a user without any settings."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PODSCOPE_", "DJANGO_", "PYTEST"))}
    environment = {**inherited, "PYTHONPATH": str(package), "XDG_DATA_HOME": str(tmp_path / "data")}
    (tmp_path / "empty").mkdir()

    def run(*words, **options):
        command = [sys.executable, "-m", "podscope", *words]
        return subprocess.Popen(command, cwd=tmp_path / "empty", env=environment, stdout=subprocess.PIPE, text=True, **options)

    return run


def test_it_says_its_version(podscope):
    assert podscope("--version").communicate(timeout=60)[0] == "Podscope 0.1.0\n"


def test_it_simulates_a_manifest(podscope, tmp_path):
    (tmp_path / "pod.yaml").write_text(POD)
    told, _ = podscope("simulate", "-f", str(tmp_path / "pod.yaml"), "--at", "10s", "--kubectl", "get pods").communicate(timeout=100)
    assert "web    1/1     Running" in told


def test_it_holds_the_levels(podscope):
    levels = podscope("levels", "check", "--help")
    assert "PATH" in levels.communicate(timeout=60)[0].upper()
    assert levels.returncode == 0


def test_it_serves_a_site_that_nobody_has_prepared(podscope, tmp_path):
    site = podscope("serve", "--port", str(free_port()))
    try:
        assert any("Podscope is running" in line for line in site.stdout)
        assert (tmp_path / "data" / "podscope" / "static").is_dir()
    finally:
        site.terminate()
        site.communicate(timeout=60)


def test_it_holds_what_tells_in_other_languages_and_no_tools_of_ours(package):
    names = [path.relative_to(package).as_posix() for path in package.rglob("*")]
    assert {name for name in names if name.endswith(".mo")} == {
        f"podscope/locale/{language}/LC_MESSAGES/django.mo" for language in ("zh_Hans", "zh_Hant")
    }
    assert not [name for name in names if "node_modules" in name or name.startswith("podscope/tests")]


@pytest.mark.parametrize(
    ("variable", "folder"),
    [("", "/home/ada/.local/share/podscope"), ("/data", "/data/podscope"), ("relative", "/home/ada/.local/share/podscope")],
)
def test_data_is_kept_where_a_users_programs_keep_it(variable, folder):
    assert user_data_dir({"XDG_DATA_HOME": variable}, Path("/home/ada")) == Path(folder)
