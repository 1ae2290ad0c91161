import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from lifecycle_site import env
from lifecycle_site.data_dir import open_data_dir, open_sqlite

ROOT = Path(__file__).resolve().parents[2]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def start(folder: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PODSCOPE_DATA_DIR": str(folder), **variables}
    return subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("is_chosen", [True, False])
def test_new_folder_is_its_owners_alone(tmp_path, is_chosen):
    assert mode(open_data_dir(tmp_path / "new" / "var", is_chosen=is_chosen)) == 0o700


def test_own_folder_of_an_earlier_release_is_tightened(tmp_path):
    (tmp_path / "var").mkdir(mode=0o755)
    assert mode(open_data_dir(tmp_path / "var", is_chosen=False)) == 0o700


def test_folder_that_somebody_chose_keeps_its_mode(tmp_path):
    (tmp_path / "shared").mkdir(mode=0o755)
    assert mode(open_data_dir(tmp_path / "shared", is_chosen=True)) == 0o755


@pytest.mark.parametrize("is_chosen", [True, False])
def test_new_database_is_its_owners_alone(tmp_path, is_chosen):
    assert mode(open_sqlite(tmp_path / "db", is_chosen=is_chosen)) == 0o600


@pytest.mark.parametrize(("is_chosen", "left"), [(False, 0o600), (True, 0o640)])
@pytest.mark.parametrize("name", ["db", "db-wal", "db-shm"])
def test_database_of_an_earlier_release_is_tightened(tmp_path, name, is_chosen, left):
    (tmp_path / name).touch()
    (tmp_path / name).chmod(0o644)
    open_sqlite(tmp_path / "db", is_chosen=is_chosen)
    assert mode(tmp_path / name) == left


def test_database_keeps_its_content(tmp_path):
    (tmp_path / "db").write_bytes(b"tables")
    assert open_sqlite(tmp_path / "db", is_chosen=False).read_bytes() == b"tables"


def test_files_that_a_site_writes_are_its_owners_alone(tmp_path):
    made = start(tmp_path / "site", sys.executable, "manage.py", "migrate", "--verbosity=0")
    assert (made.returncode, made.stderr) == (0, "")
    files = [path for path in (tmp_path / "site").iterdir() if path.is_file()]
    assert {path.name: mode(path) for path in files} == {path.name: 0o600 for path in files}
    assert "podscope.sqlite3" in {path.name for path in files}


def test_read_only_folder_is_reported(tmp_path, monkeypatch):
    def refuse(*words: object) -> int:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(ImproperlyConfigured, match="Read-only file system.*PODSCOPE_DATA_DIR"):
        open_sqlite(tmp_path / "db", is_chosen=True)


@pytest.mark.parametrize(
    "command", [[sys.executable, "manage.py", "serve"], [sys.executable, "-m", "daphne", "lifecycle_site.asgi:application"]]
)
def test_folder_that_cannot_be_made_is_reported_in_one_line(tmp_path, command):
    (tmp_path / "file").touch()
    ended = start(tmp_path / "file" / "var", *command)
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1
    assert "Not a directory" in ended.stderr and "PODSCOPE_DATA_DIR" in ended.stderr


def test_folder_where_nobody_may_write_is_reported_in_one_line():
    ended = start(Path("/proc"), sys.executable, "manage.py", "check")  # not even for root
    assert (ended.returncode, len(ended.stderr.splitlines())) == (1, 1)


def test_wrong_setting_is_reported_in_one_line(tmp_path):
    ended = start(tmp_path, sys.executable, "manage.py", "check", PODSCOPE_RUN_HOURS_MAX="many")
    assert (ended.returncode, ended.stderr) == (1, "Podscope cannot start: PODSCOPE_RUN_HOURS_MAX must be a whole number, not 'many'\n")


def test_database_that_does_not_answer_is_reported_in_one_line(tmp_path):
    address = {"PODSCOPE_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none", "PODSCOPE_SECRET_KEY": "shared"}
    ended = start(tmp_path, sys.executable, "manage.py", "prepare", **address)
    assert ended.returncode == 1
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [("prepare",), ("serve", "--prepare", "--port", "0")])
def test_file_that_is_not_a_database_is_reported_in_one_line(tmp_path, words):
    (tmp_path / "podscope.sqlite3").write_bytes(b"no database" * 1000)
    ended = start(tmp_path, sys.executable, "manage.py", *words)
    assert (ended.returncode, len(ended.stderr.splitlines()), "damaged" in ended.stderr) == (1, 1, True)


def test_several_machines_must_be_given_one_secret(tmp_path):
    ended = start(tmp_path, sys.executable, "manage.py", "check", PODSCOPE_DATABASE_URL="postgresql://nobody@127.0.0.1:1/none")
    assert ended.returncode == 1
    assert "PODSCOPE_SECRET_KEY must be set" in ended.stderr
    assert not (tmp_path / "secret_key").exists()


def test_secret_that_was_used_until_now_is_pointed_out(tmp_path):
    (tmp_path / "secret").write_text("old")
    with pytest.raises(ImproperlyConfigured, match=r"secret holds the one"):
        env.env_secret("X", path=tmp_path / "secret", is_shared=True)


def test_folder_where_sqlite_cannot_write_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(ImproperlyConfigured, match="SQLite cannot write beside the database"):
        open_sqlite(tmp_path / "db", is_chosen=True)


def test_files_of_another_user_keep_their_modes(tmp_path, monkeypatch):
    (tmp_path / "db").touch(mode=0o644)
    monkeypatch.setattr(os, "geteuid", lambda: (tmp_path / "db").stat().st_uid + 1)
    open_sqlite(tmp_path / "db", is_chosen=False)
    assert mode(tmp_path / "db") == 0o644
