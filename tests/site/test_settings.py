import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

ROOT = Path(__file__).resolve().parents[2]
VARIABLES = re.findall(r'env_\w+\(\s*"([A-Z_]+)"', (ROOT / "lifecycle_site" / "settings.py").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", VARIABLES)
def test_setting_is_described_for_whoever_runs_a_site(name):
    assert f"`{name}`" in (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")


def test_jobs_of_celery_without_redis_are_refused_in_one_line():
    environment = {key: value for key, value in os.environ.items() if key != "PODSCOPE_REDIS_URL"} | {"PODSCOPE_JOBS": "celery"}
    ended = subprocess.run([sys.executable, "manage.py", "check"], env=environment, cwd=ROOT, capture_output=True, text=True, timeout=60)
    said = "Podscope cannot start: PODSCOPE_JOBS=celery needs PODSCOPE_REDIS_URL"
    assert (ended.returncode, ended.stderr.strip().splitlines()[-1]) == (1, said)


def test_worker_does_not_start_where_runners_work_jobs_off():
    with pytest.raises(CommandError, match="PODSCOPE_JOBS=celery"):
        call_command("worker")
