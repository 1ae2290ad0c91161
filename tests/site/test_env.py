import stat

import pytest
from django.core.exceptions import ImproperlyConfigured

from lifecycle_site import env


@pytest.fixture
def set_env(monkeypatch):
    return lambda value: monkeypatch.setenv("PODSCOPE_X", value)


def test_bool_is_the_default_when_unset():
    assert env.env_bool("X", default=True) is True


@pytest.mark.parametrize(("text", "value"), [("1", True), ("Yes", True), ("off", False), ("0", False)])
def test_bool_reads_common_words(set_env, text, value):
    set_env(text)
    assert env.env_bool("X", default=not value) is value


@pytest.mark.parametrize(
    "read",
    [
        lambda: env.env_bool("X", default=False),
        lambda: env.env_int("X", default=1),
        lambda: env.env_database("X", sqlite=None),
    ],
)
def test_bad_value_is_reported_with_its_name(set_env, read):
    set_env("perhaps")
    with pytest.raises(ImproperlyConfigured, match="PODSCOPE_X"):
        read()


def test_int_is_refused_when_it_is_too_small(set_env):
    set_env("0")
    with pytest.raises(ImproperlyConfigured, match="at least 1"):
        env.env_int("X", default=5, minimum=1)


@pytest.mark.parametrize(("text", "value"), [("1", 1), ("2", 2), ("", 5)])
def test_int_may_be_as_small_as_its_minimum(set_env, text, value):
    set_env(text)
    assert env.env_int("X", default=5, minimum=1) == value


def test_choice_is_the_first_when_unset():
    assert env.env_choice("X", ("a", "b")) == "a"


def test_choice_is_one_of_several(set_env):
    set_env("b")
    assert env.env_choice("X", ("a", "b")) == "b"
    with pytest.raises(ImproperlyConfigured, match="one of a, c, not 'b'"):
        env.env_choice("X", ("a", "c"))


def test_list_is_the_default_when_unset():
    assert env.env_list("X", default=("a", "b")) == ["a", "b"]


def test_list_drops_empty_words(set_env):
    set_env("a, b,,")
    assert env.env_list("X") == ["a", "b"]


def test_database_is_taken_apart(set_env):
    set_env("postgresql://me:p%40ss@db.example:5433/pods")
    database = env.env_database("X", sqlite=None)
    assert (database["USER"], database["PASSWORD"], database["HOST"], database["PORT"], database["NAME"]) == (
        "me", "p@ss", "db.example", "5433", "pods",
    )  # fmt: skip


def test_database_keeps_its_options(set_env):
    set_env("postgresql://db.example/pods?sslmode=require")
    assert env.env_database("X", sqlite=None)["OPTIONS"]["sslmode"] == "require"


def test_database_whose_machine_vanished_is_not_waited_for_longer_than_an_owner_keeps_a_run(set_env):
    set_env("postgresql://db.example/pods")
    options = {name: int(value) for name, value in env.env_database("X", sqlite=None)["OPTIONS"].items()}
    assert options["tcp_user_timeout"] <= 10_000 and options["connect_timeout"] <= 5
    assert options["keepalives_idle"] + options["keepalives_interval"] * options["keepalives_count"] <= 12


def test_database_may_be_waited_for_longer(set_env):
    set_env("postgresql://db.example/pods?tcp_user_timeout=60000")
    assert env.env_database("X", sqlite=None)["OPTIONS"]["tcp_user_timeout"] == "60000"


def test_database_is_asked_without_cursors_that_a_pooler_would_lose(set_env):
    set_env("postgresql://db.example/pods")
    assert env.env_database("X", sqlite=None)["DISABLE_SERVER_SIDE_CURSORS"] is True


def test_database_is_refused_when_its_port_is_none(set_env):
    set_env("postgresql://db.example:x/pods")
    with pytest.raises(ImproperlyConfigured, match="PODSCOPE_X"):
        env.env_database("X", sqlite=None)


def test_secret_of_the_first_process_is_kept_when_two_start_at_once(tmp_path, monkeypatch):
    path = tmp_path / "secret"
    token = env.secrets.token_urlsafe
    monkeypatch.setattr(env.secrets, "token_urlsafe", lambda size: path.write_text("first") and token(size))
    assert env.env_secret("X", path=path) == "first"
    assert [file.name for file in tmp_path.iterdir()] == ["secret"]


def test_secret_is_written_once_and_private(tmp_path):
    path = tmp_path / "data" / "secret"
    assert env.env_secret("X", path=path) == env.env_secret("X", path=path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_secret_comes_from_the_environment_when_set(set_env, tmp_path):
    set_env("given")
    assert env.env_secret("X", path=tmp_path / "secret") == "given"


def test_secret_that_was_never_written_is_not_pointed_out(tmp_path):
    with pytest.raises(ImproperlyConfigured) as refused:
        env.env_secret("X", path=tmp_path / "secret", is_shared=True)
    assert "holds the one" not in str(refused.value)
