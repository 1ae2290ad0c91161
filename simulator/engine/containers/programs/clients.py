"""Clients of databases: whether the server they are asked to reach is there.

``pg_isready -h db`` in an init container is how half of all manifests wait for a database. Where a
client goes is read from its options, its URL and its environment as the real one does; without a
host it is the server of its own container. A server that can be reached is taken to be ready and to
accept the account, since nothing here stores data: a query succeeds and prints nothing, with a note.

Sources: the manual pages of the programs; PostgreSQL src/bin/scripts/pg_isready.c,
src/interfaces/libpq/fe-connect.c; MySQL client/mysqladmin.cc, share/messages_to_clients.txt;
redis src/redis-cli.c.
"""

import re

from msgspec import Struct

from simulator.engine.containers.digits import whole
from simulator.engine.containers.kernel.execute import Call, ProgramStart
from simulator.engine.containers.network_access import Url
from simulator.engine.containers.process.state import Later
from simulator.engine.containers.programs.net import CONNECT_TIMEOUT_MS, fetch, later, resolves
from simulator.engine.containers.programs.tools import taken_to_succeed

_LOCAL = ("", "localhost", "127.0.0.1", "::1", "0.0.0.0")
_URL = re.compile(r"(?:[a-z+]+://)(?:[^@/]*@)?([A-Za-z0-9.-]+)(?::([0-9]{1,5}))?(?:[/,?].*)?")


class _Client(Struct, frozen=True):
    """How a client names its server. ``code``: its exit code if it cannot connect."""

    port: int
    host_flags: tuple[str, ...] = ("-h", "--host")
    port_flags: tuple[str, ...] = ("-p", "--port")
    variables: tuple[str, str] = ("", "")
    code: int = 1
    kind: str = ""


_POSTGRES = _Client(5432, variables=("PGHOST", "PGPORT"), code=2, kind="postgres")
_POSTGRES_TOOL = _Client(5432, variables=("PGHOST", "PGPORT"), kind="postgres")
_MYSQL = _Client(3306, port_flags=("-P", "--port"), variables=("MYSQL_HOST", "MYSQL_TCP_PORT"), kind="mysql")
_MONGO = _Client(27017, host_flags=("--host", "-h"), port_flags=("--port",), kind="mongo")
_CLIENTS: dict[str, _Client] = {
    "redis-cli": _Client(6379, host_flags=("-h",), port_flags=("-p",), kind="redis"),
    "valkey-cli": _Client(6379, host_flags=("-h",), port_flags=("-p",), kind="redis"),
    "pg_isready": _POSTGRES,
    "psql": _POSTGRES,
    **dict.fromkeys(
        ("createdb", "createuser", "dropdb", "pg_basebackup", "pg_dump", "pg_dumpall", "pg_restore", "vacuumdb"), _POSTGRES_TOOL
    ),
    **dict.fromkeys(("mysql", "mysqladmin", "mysqlcheck", "mysqlimport", "mariadb", "mariadb-admin", "mariadb-check"), _MYSQL),
    **dict.fromkeys(("mysqldump", "mariadb-dump"), _Client(3306, port_flags=("-P", "--port"), code=2, kind="mysql")),
    **dict.fromkeys(("mongo", "mongosh", "mongodump", "mongoexport", "mongoimport", "mongorestore"), _MONGO),
}
NAMES = tuple(_CLIENTS)


def client(call: Call) -> "int | ProgramStart":
    """A client that is asked for its server's state, or for a query."""
    words = call.argv[1:]
    if len(words) == 1 and words[0] in ("--version", "-V", "-v", "--help"):
        call.out(f"{call.name} (version not modelled)\n")
        return 0
    kind = _CLIENTS[call.name]
    host, port = _target(call, kind)
    if host in _LOCAL or host.startswith("/"):
        # Any server in this container counts: clients of other kinds of servers are not distinguished.
        if call.has_server_beside or (host in _LOCAL[1:] and _is_open(call, "127.0.0.1", port)):
            return _reached(call, kind, host, port)
        call.err(_failure(call, kind, host, port, "refused"))
        return kind.code
    if not resolves(call, host):
        return later(call, 0, Later(stderr=_failure(call, kind, host, port, "unknown"), code=kind.code))
    answer = fetch(call, Url("tcp", host, port, "/"))
    if answer.outcome in ("answered", "eof"):
        return _reached(call, kind, host, port)
    delay_ms = CONNECT_TIMEOUT_MS if answer.outcome == "timeout" and call.name != "pg_isready" else 0
    return later(call, delay_ms, Later(stderr=_failure(call, kind, host, port, answer.outcome), code=kind.code))


def _is_open(call: Call, host: str, port: int) -> bool:
    return fetch(call, Url("tcp", host, port, "/")).outcome in ("answered", "eof")


def _target(call: Call, kind: _Client) -> tuple[str, int]:
    """Host ("" for the client's default) and port, by the words of the command, then by the environment."""
    host, port = (call.env.get(name, "") if name else "" for name in kind.variables)
    words = list(call.argv[1:])
    for index, word in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else ""
        url = _URL.fullmatch(word.partition("=")[2] if word.startswith("--") else word)
        if url is not None:
            host, port = url.group(1), url.group(2) or port
            continue
        host = _value(word, following, kind.host_flags) or host
        port = _value(word, following, kind.port_flags) or port
    name, colon, end = host.rpartition(":")
    if colon and end.isdecimal() and name.count(":") == 0:
        host, port = name, end
    # mongo accepts the name of a replica set before its hosts.
    return host.rpartition("/")[2].partition(",")[0] if kind.kind == "mongo" else host, whole(port, kind.port)


def _value(word: str, following: str, flags: tuple[str, ...]) -> str:
    for flag in flags:
        if word == flag:
            return following
        if flag.startswith("--") and word.startswith(f"{flag}="):
            return word[len(flag) + 1 :]
        if not flag.startswith("--") and word.startswith(flag) and not word.startswith("--"):
            return word[len(flag) :]
    return ""


def _reached(call: Call, kind: _Client, host: str, port: int) -> "int | ProgramStart":
    words = [word.lower() for word in call.argv[1:]]
    if kind.kind == "redis":
        call.out("PONG\n" if "ping" in words else "OK\n")
    elif call.name == "pg_isready":
        call.out(f"{_shown(host)}:{port} - accepting connections\n" if "-q" not in words else "")
    elif call.name in ("mysqladmin", "mariadb-admin"):
        call.out("mysqld is alive\n" if not {"-s", "--silent"} & {*words} else "")
    else:
        return taken_to_succeed(call)
    return 0


def _shown(host: str) -> str:
    return host or "/var/run/postgresql"


def _failure(call: Call, kind: _Client, host: str, port: int, outcome: str) -> str:
    """What the client prints if it cannot connect."""
    name = call.name
    if name == "pg_isready":
        call.out(f"{_shown(host)}:{port} - no response\n" if "-q" not in call.argv else "")
        return ""
    if kind.kind == "redis":
        why = "Name or service not known" if outcome == "unknown" else "Connection refused"
        return f"Could not connect to Redis at {host or '127.0.0.1'}:{port}: {why}\n"
    if kind.kind == "postgres":
        if outcome == "unknown":
            return f'{name}: error: could not translate host name "{host}" to address: Name or service not known\n'
        if not host or host.startswith("/"):
            # A server that does not run has left no socket.
            where = f'on socket "{host or "/var/run/postgresql"}/.s.PGSQL.{port}"'
            hint = "\tIs the server running locally and accepting connections on that socket?\n"
            return f"{name}: error: connection to server {where} failed: No such file or directory\n{hint}"
        hint = "\tIs the server running on that host and accepting TCP/IP connections?\n"
        return f'{name}: error: connection to server at "{host}", port {port} failed: Connection refused\n{hint}'
    if kind.kind == "mysql":
        if outcome == "unknown":
            return f"ERROR 2005 (HY000): Unknown MySQL server host '{host}' (-2)\n"
        if not host or host == "localhost":
            return "ERROR 2002 (HY000): Can't connect to local MySQL server through socket '/var/run/mysqld/mysqld.sock' (2)\n"
        return f"ERROR 2003 (HY000): Can't connect to MySQL server on '{host}:{port}' (111)\n"
    return f"MongoNetworkError: {f'getaddrinfo ENOTFOUND {host}' if outcome == 'unknown' else f'connect ECONNREFUSED {host}:{port}'}\n"
