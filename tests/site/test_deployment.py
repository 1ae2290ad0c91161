"""The files of docs/deployment match the existing settings and commands, and the page that describes them."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "deployment"
PAGE = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
FILES = sorted(path for path in FOLDER.rglob("*") if path.is_file())
UNITS = sorted((FOLDER / "systemd").iterdir())
SETTINGS = set(re.findall(r'env_\w+\(\s*"([A-Z_]+)"', (ROOT / "lifecycle_site" / "settings.py").read_text(encoding="utf-8")))
COMPOSE = yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8"))
SERVICES = COMPOSE["services"]
OURS = {name: service for name, service in SERVICES.items() if service["image"] == "podscope"}


def is_program(words):
    """Whether a command line starts a process of the site."""
    program, *rest = words
    if Path(program).name == "daphne":
        return rest[-1] == "lifecycle_site.asgi:application"
    return Path(program).name == "python" and rest[0] == "manage.py" and rest[1] in get_commands()


@pytest.mark.parametrize("path", [ROOT / "docs" / "deployment.md", *FILES], ids=lambda path: path.name)
def test_variables_that_a_file_names_are_settings(path):
    named = set(re.findall(r"PODSCOPE_([A-Z_]+)", path.read_text(encoding="utf-8")))
    assert named - SETTINGS == set()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_page_names_every_file(path):
    assert path.name.removesuffix(".dockerignore") in PAGE


def test_commands_of_the_page_copy_what_is_there():
    copied = re.findall(r"/srv/podscope/app/(docs/\S+)", PAGE)
    assert copied and [name for name in copied if not list(ROOT.glob(name))] == []


@pytest.mark.parametrize("path", [ROOT / ".gitignore", FOLDER / "Dockerfile.dockerignore"], ids=lambda path: path.name)
def test_secrets_of_the_compose_file_stay_where_they_are_filled_in(path):
    assert {".env", "**/.env"} & set(path.read_text(encoding="utf-8").split())


def test_compose_file_has_every_process():
    assert set(SERVICES) == {"prepare", "web", "runner", "worker", "postgres", "redis", "proxy"}
    assert {name: service["deploy"]["replicas"] for name, service in SERVICES.items() if "deploy" in service} == {"web": 2, "runner": 2}


@pytest.mark.parametrize("name", OURS)
def test_service_runs_a_command_that_there_is(name):
    assert is_program(OURS[name]["command"].split())


@pytest.mark.parametrize("name", SERVICES)
def test_service_waits_for_services_that_there_are(name):
    assert set(SERVICES[name].get("depends_on", ())) <= set(SERVICES) - {name}


@pytest.mark.parametrize("name", SERVICES)
def test_service_mounts_what_there_is(name):
    sources = [volume.split(":")[0] for volume in SERVICES[name].get("volumes", ())]
    assert [source for source in sources if source not in COMPOSE["volumes"] and not (FOLDER / source).is_file()] == []


def test_variables_that_compose_needs_are_in_its_example():
    needed = set(re.findall(r"\$\{(\w+)", (FOLDER / "compose.yaml").read_text(encoding="utf-8")))
    given = set(re.findall(r"^(\w+)=", (FOLDER / "compose.env").read_text(encoding="utf-8"), re.MULTILINE))
    assert given - needed == {"COMPOSE_PROJECT_NAME"} and needed - given == {"PODSCOPE_MEMORY_MB"}


def test_data_stay_whatever_the_project_is_called():
    assert {name: volume["name"] for name, volume in COMPOSE["volumes"].items()} == {
        "data": "podscope_data",
        "postgres": "podscope_postgres",
    }


def test_image_is_built_from_what_there_is():
    build = COMPOSE["x-podscope"]["build"]
    assert (FOLDER / build["context"]).resolve() == ROOT and (ROOT / build["dockerfile"]).is_file()
    assert [name for name in copied() if not (ROOT / name).exists()] == []


def copied():
    """What the image copies from this folder."""
    lines = re.findall(r"^COPY (.+)$", (FOLDER / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    return {name for line in lines for name in line.split()[:-1]}


def test_image_holds_the_program_and_nothing_else():
    program = {"manage.py", "lifecycle_site", "simulator", "templates", "static", "locale"}
    assert copied() == program | {"requirements.txt", "requirements-production.txt"}


def test_proxy_is_told_where_the_web_processes_are():
    assert "proxy_pass http://$podscope;" in (FOLDER / "nginx" / "site.conf").read_text(encoding="utf-8")
    for name in ("upstream.conf", "upstream-compose.conf"):
        assert 'map "" $podscope {' in (FOLDER / "nginx" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_unit_starts_a_command_that_there_is(unit):
    (line,) = re.findall(r"^ExecStart=/srv/podscope/app/\.venv/bin/(.+)$", unit.read_text(encoding="utf-8"), re.MULTILINE)
    assert is_program(line.split())


def test_systemd_understands_the_units(tmp_path):
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not installed")
    for unit in UNITS:  # it checks for programs and folders of this machine
        text = re.sub(r"/srv/podscope/app/\.venv/bin/\w+", sys.executable, unit.read_text(encoding="utf-8"))
        (tmp_path / unit.name.replace("@", "@1")).write_text(text.replace("/srv/podscope/app", str(ROOT)), encoding="utf-8")
    ended = subprocess.run([analyze, "verify", *map(str, tmp_path.iterdir())], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, [line for line in ended.stderr.splitlines() if "podscope-" in line]) == (0, [])
