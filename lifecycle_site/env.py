"""Typed readers for environment variables; a bad value raises ImproperlyConfigured with the variable's name."""

import os
import secrets
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from lifecycle_site.data_dir import in_one_line

PREFIX = "PODSCOPE_"
SQLITE = "lifecycle_site.sqlite"
"""The default database backend, when no DATABASE_URL is set."""


def env_text(name: str, default: str = "") -> str:
    """The value of PODSCOPE_<name>, or ``default`` if it is unset or empty."""
    return os.environ.get(PREFIX + name, "") or default


def env_bool(name: str, *, default: bool) -> bool:
    """True for 1/true/yes/on, False for 0/false/no/off, case-insensitively."""
    text = env_text(name).lower()
    if not text:
        return default
    if text in {"1", "true", "yes", "on"}:
        return True
    if text in {"0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"{PREFIX}{name} must be 1 or 0, not {text!r}")


def env_choice(name: str, choices: tuple[str, ...]) -> str:
    """One of ``choices``; the first if the variable is unset."""
    text = env_text(name, choices[0])
    if text not in choices:
        raise ImproperlyConfigured(f"{PREFIX}{name} must be one of {', '.join(choices)}, not {text!r}")
    return text


def env_int(name: str, *, default: int, minimum: int = 0) -> int:
    """A whole number of at least ``minimum``."""
    text = env_text(name)
    if not text:
        return default
    try:
        value = int(text)
    except ValueError:
        raise ImproperlyConfigured(f"{PREFIX}{name} must be a whole number, not {text!r}") from None
    if value < minimum:
        raise ImproperlyConfigured(f"{PREFIX}{name} must be at least {minimum}, not {value}")
    return value


def env_list(name: str, *, default: tuple[str, ...] = ()) -> list[str]:
    """The comma-separated words of PODSCOPE_<name>."""
    text = env_text(name)
    return [word.strip() for word in text.split(",") if word.strip()] if text else list(default)


SILENCE = {"connect_timeout": "3", "tcp_user_timeout": "10000", "keepalives_idle": "5", "keepalives_interval": "2", "keepalives_count": "3"}
"""A machine that loses power or its network cable does not close its connections, and TCP would wait a quarter of an hour for it. With
these libpq options a connection counts as closed if data is not acknowledged within 10 s, or after 11 s without a sign of life."""


def env_database(name: str, *, sqlite: Path) -> dict[str, object]:
    """Django's database settings from ``postgresql://user:password@host:port/name?sslmode=require``; SQLite in WAL mode if unset.

    Write transactions on SQLite take the lock up front (IMMEDIATE): a read that turns into a write could otherwise deadlock.
    """
    text = env_text(name)
    if not text:
        return {
            "ENGINE": SQLITE,
            "NAME": sqlite,
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
            },
        }
    url = urlsplit(text)
    try:
        port = url.port
    except ValueError:
        port = -1
    if url.scheme not in {"postgres", "postgresql"} or not url.path.strip("/") or port == -1:
        raise ImproperlyConfigured(f"{PREFIX}{name} must look like postgresql://user:password@host:5432/name")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(url.path.strip("/")),
        "USER": unquote(url.username or ""),
        "PASSWORD": unquote(url.password or ""),
        "HOST": url.hostname or "",
        "PORT": str(port or ""),
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": True,  # a pooler may run the next transaction in another session, which has no such cursor
        "OPTIONS": SILENCE | dict(parse_qsl(url.query)),
    }


def env_secret(name: str, *, path: Path, is_shared: bool = False) -> str:
    """PODSCOPE_<name>, or the content of the private file ``path``, which is written on first use.

    A secret that several machines must share is never generated: each would make its own and reject the others' cookies.
    """
    text = env_text(name)
    if text:
        return text
    if is_shared:
        how = "python3 -c 'import secrets; print(secrets.token_urlsafe(48))' makes one"
        kept = f", and {path} holds the one that was used here until now" if path.exists() else ""
        raise ImproperlyConfigured(f"with PostgreSQL {PREFIX}{name} must be set, the same for every process ({how}{kept}).")
    with in_one_line(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _write_secret(path)
        return path.read_text(encoding="ascii").strip()


def _write_secret(path: Path) -> None:
    """Write the file under a temporary name and link it into place: a process that starts now must not read half of it."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(48))
    try:
        os.link(draft, path)
    except FileExistsError:  # the other process was first
        pass
    finally:
        draft.unlink()
