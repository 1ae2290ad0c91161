"""Programs that serve until they are stopped, and those that only consume resources.

A server is a ``Holder`` with its ports, what it serves, its memory and the exit codes for signals.
Those codes are what a user sees: a Go program without a handler dies with 2 on TERM, nginx
and httpd end with 0, and a server without an entry for TERM ignores it as PID 1 and is killed when the
grace period is over. A read-only root file system stops most of them before they listen.
"""

import re

from msgspec import structs

from simulator.engine.containers.digits import whole
from simulator.engine.containers.images.known import HTTPD_ROOT, NGINX_ROOT
from simulator.engine.containers.kernel.execute import HTTP_AND_MORE, Call, ProgramStart, hold_unknown
from simulator.engine.containers.process.state import Holder, Later
from simulator.engine.containers.programs.basic import run_other
from simulator.engine.containers.programs.files import size_of
from simulator.engine.containers.programs.listening import listened_ports, nginx_setting

MIB = 1 << 20
YES_LINES = 1000
QUIT_MS = 20
"""What nginx needs to shut down its workers."""
_ENDS_WELL = ((15, 0), (2, 0), (3, 0))
# Go's runtime dies of an unhandled signal with status 2.
_GO_DEFAULT = ((15, 2), (2, 2), (1, 2))


def nginx(call: Call) -> "int | ProgramStart":
    """``nginx``: serves files on its port until QUIT or TERM; ``-s`` signals the running one."""
    words = call.argv[1:]
    if "-s" in words:
        name = words[words.index("-s") + 1] if words.index("-s") + 1 < len(words) else ""
        number = {"quit": 3, "stop": 15, "reload": 1, "reopen": 10}.get(name)
        running = [task for task in call.kernel.find("nginx") if task.pid != call.task.pid]
        if number is None or not running:
            call.err('nginx: [error] open() "/run/nginx.pid" failed (2: No such file or directory)\n')
            return 1
        body = running[0].body
        if number in (3, 15) and isinstance(body, Holder):
            # The master first ends its workers, so the command that requested it can still finish.
            running[0].body = structs.replace(body, ending=0)
            running[0].block, running[0].until_ms = "timer", call.kernel.now_ms + QUIT_MS
        return 0
    if "-t" in words or "-v" in words or "-V" in words:
        call.err(
            "nginx: configuration file /etc/nginx/nginx.conf test is successful\n" if "-t" in words else "nginx version: nginx/1.25.0\n"
        )
        return 0
    if (failure := unwritable(call)) is not None:
        return failure
    ports, is_more = nginx_setting(call)
    # HUP reloads, USR1 reopens the logs and WINCH ends the workers: the master continues, which is the default for PID 1.
    exits = ((15, 0), (3, 0), (2, 0))
    if is_more:
        return ProgramStart(Holder(ports, "ok", exits=exits, memory_bytes=4 * MIB, any_scheme=True))
    return ProgramStart(Holder(ports, "files", NGINX_ROOT, exits=exits, memory_bytes=4 * MIB))


def listener(call: Call) -> "int | ProgramStart":
    """Servers with their port, exit codes and memory by name."""
    if (failure := unwritable(call)) is not None:
        return failure
    ports, site, exits, memory = _SERVERS[call.name]
    root = HTTPD_ROOT if call.name == "httpd-foreground" else ""
    # etcd and RabbitMQ's management serve HTTP as well, with TLS if they are told to.
    any_scheme = site == HTTP_AND_MORE
    return ProgramStart(Holder(listened_ports(call, ports), site, root, exits=exits, memory_bytes=memory * MIB, any_scheme=any_scheme))


_SERVERS: dict[str, tuple[tuple[int, ...], str, tuple[tuple[int, int], ...], int]] = {
    "redis-server": ((6379,), "tcp", _ENDS_WELL, 8),
    "redis-sentinel": ((26379,), "tcp", _ENDS_WELL, 8),
    "httpd-foreground": ((80,), "files", ((28, 0), (15, 0)), 6),
    "mysqld": ((3306,), "tcp", ((15, 0),), 350),
    "mariadbd": ((3306,), "tcp", ((15, 0),), 120),
    "postgres": ((5432,), "tcp", _ENDS_WELL, 40),
    "mongod": ((27017,), "tcp", _ENDS_WELL, 150),
    "memcached": ((11211,), "tcp", _ENDS_WELL, 2),
    "rabbitmq-server": ((5672,), HTTP_AND_MORE, ((15, 0),), 120),
    "etcd": ((2379, 2380), HTTP_AND_MORE, ((15, 0), (2, 0)), 20),
    "hello-app": ((8080,), "ok", _GO_DEFAULT, 3),
    "whoami": ((80,), "ok", _GO_DEFAULT, 3),
    "http-echo": ((5678,), "ok", ((15, 0), (2, 0)), 3),
    "goproxy": ((8080,), "tcp", _GO_DEFAULT, 3),
    "pause": ((), "", ((15, 0), (2, 0)), 1),
}
SERVER_NAMES = tuple(_SERVERS)


_RO = "Read-only file system"
_NGINX_WRITES = (
    ("/var/cache/nginx/client_temp", 'nginx: [emerg] mkdir() "/var/cache/nginx/client_temp" failed (30: {problem})', 1),
    ("/run/nginx.pid", 'nginx: [emerg] open() "/run/nginx.pid" failed (30: {problem})', 1),
)
_UNPRIVILEGED_WRITES = (("/tmp/client_temp", 'nginx: [emerg] mkdir() "/tmp/client_temp" failed (30: {problem})', 1),)
_WRITES: dict[str, tuple[tuple[str, str, int], ...]] = {
    "httpd-foreground": (
        (
            "/usr/local/apache2/logs/httpd.pid",
            "(30){problem}: AH00099: could not create /usr/local/apache2/logs/httpd.pid\n"
            "AH00100: httpd: could not log pid to file /usr/local/apache2/logs/httpd.pid",
            1,
        ),
    ),
    "mysqld": (
        (
            "/run/mysqld/mysqld.sock.lock",
            "[ERROR] Could not create unix socket lock file /var/run/mysqld/mysqld.sock.lock.\n[ERROR] Aborting",
            1,
        ),
    ),
    "mariadbd": (("/run/mysqld/mysqld.sock", "[ERROR] Can't start server : Bind on unix socket: {problem}\n[ERROR] Aborting", 1),),
    "postgres": (
        ("/run/postgresql/.s.PGSQL.5432.lock", 'FATAL:  could not create lock file "/var/run/postgresql/.s.PGSQL.5432.lock": {problem}', 1),
    ),
    "mongod": (("/tmp/mongodb-27017.sock", "Failed to set up sockets during startup: /tmp/mongodb-27017.sock: {problem}", 48),),
}  # fmt: skip
"""Where servers write at start, their error if they cannot, and their exit code then.

Sources: nginx src/core/ngx_file.c, ngx_cycle.c; httpd server/log.c; mysql sql/conn_handler/socket_connection.cc; mariadb sql/mysqld.cc;
postgres utils/init/miscinit.c CreateLockFile; mongo transport_layer. Their images keep sockets and pids below /run and /tmp.
"""


def unwritable(call: Call) -> int | None:
    """The exit code of a server that cannot write what it needs, after printing its error; None if it can."""
    writes = _WRITES.get(call.name, ())
    if call.name == "nginx":
        writes = _UNPRIVILEGED_WRITES if call.kernel.facts.user else _NGINX_WRITES
    for path, said, code in writes:
        alias = f"/var{path}" if path.startswith("/run/") else path  # /var/run is a link to /run
        if call.kernel.fs.is_read_only(path) and call.kernel.fs.is_read_only(alias):
            call.err(f"{said.format(problem=_RO)}\n")
            return code
    return None


def httpd(call: Call) -> ProgramStart:
    """busybox ``httpd [-f] [-p port] [-h directory]``: ignores TERM as PID 1."""
    words = list(call.argv[1:])
    values = {word: words[index + 1] for index, word in enumerate(words[:-1])}
    port = values.get("-p", "80").rpartition(":")[2]
    root = call.path(values.get("-h", "."))
    return ProgramStart(Holder((whole(port, 80),), "files", root))


def agnhost(call: Call) -> "int | ProgramStart":
    """``agnhost``: ``pause``, ``liveness`` (healthy for ten seconds), ``netexec`` and other servers."""
    words = call.argv[1:]
    mode = words[0] if words else "pause"
    if mode == "liveness":
        return ProgramStart(Holder((8080,), "ten-seconds", exits=_GO_DEFAULT))
    if mode == "pause":
        return ProgramStart(Holder(exits=((15, 0), (2, 0))))
    text = " ".join(words)
    match = re.search(r"--(?:http-)?port[= ]([0-9]{1,5})", text)
    port = int(match.group(1)) if match else {"serve-hostname": 9376, "grpc-health-checking": 5000}.get(mode, 8080)
    if mode in ("netexec", "serve-hostname", "test-webserver", "nettest", "guestbook"):
        return ProgramStart(Holder((port,), "ok", exits=((15, 0),) if mode == "netexec" else _GO_DEFAULT))
    if mode == "grpc-health-checking":
        return ProgramStart(Holder((port, 8080), "grpc", exits=_GO_DEFAULT))
    return hold_unknown(call.kernel, f"agnhost {mode} is not modelled", is_asked=call.is_asked)


def socat(call: Call) -> "int | ProgramStart":
    """``socat tcp-listen:port,…``: a listener; TERM ends it with 143, as socat's own handler does."""
    match = re.search(r"listen:([0-9]{1,5})", " ".join(call.argv), re.I)
    if match is None:
        return hold_unknown(call.kernel, "socat without a listening address is not modelled", is_asked=call.is_asked)
    return ProgramStart(Holder((int(match.group(1)),), "tcp", exits=((15, 143), (2, 130))))


def stress(call: Call) -> "int | ProgramStart":
    """``stress --vm n --vm-bytes size`` and vish/stress's ``-mem-total size``; CPU load has no effect here."""
    words = list(call.argv[1:])
    values = {word.lstrip("-"): words[index + 1] for index, word in enumerate(words[:-1])}
    values.update(word.lstrip("-").partition("=")[::2] for word in words if "=" in word)
    workers = whole(values.get("vm", ""), 1)
    size = size_of(values.get("vm-bytes", values.get("mem-total", ""))) or (256 * MIB if "vm" in values else 0)
    exits = ((15, 0),) if "vm" in values else _GO_DEFAULT if call.kernel.facts.tools == "none" else ()
    limit = values.get("timeout", values.get("t", "")).rstrip("s")
    if limit.isdecimal() and not size:
        return ProgramStart(Later(), "timer", call.kernel.now_ms + whole(limit) * 1000)
    ending = (0, "timer", call.kernel.now_ms + whole(limit) * 1000) if limit.isdecimal() else (-1, "never", 0)
    body = Holder(
        exits=exits, ending=ending[0], memory_bytes=size * workers, memory_rate=MIB << 10 if size else 0, memory_since_ms=call.kernel.now_ms
    )
    return ProgramStart(body, ending[1], ending[2])


def entrypoint(call: Call) -> "int | ProgramStart":
    """An image's entrypoint script: runs its arguments, or the image's server if these are only options."""
    words = call.argv[1:]
    default = next((name for name in SERVER_NAMES if name in call.kernel.facts.extra), "")
    if default and words and (words[0].startswith("-") or words[0].endswith(".conf")):
        words = (default, *words)
    if call.kernel.facts.kind == "runtime" and words and words[0].startswith("-"):
        words = (call.kernel.facts.cmd[0], *words)
    if call.kernel.facts.kind == "runtime" and words and words[0].endswith((".js", ".mjs")):
        words = ("node", *words)
    result = run_other(call, tuple(words)) if words else 0
    if isinstance(result, ProgramStart):
        call.task.argv = tuple(words)
    return result


def client(call: Call) -> int:
    """Clients that check a server in the same container: rabbitmq-diagnostics, etcdctl …"""
    # Any server in this container counts: clients of other kinds of servers are not distinguished.
    return 0 if call.has_server_beside else 1


def yes(call: Call) -> "int | ProgramStart":
    """``yes``: enough lines for its reader; without one it only burns time."""
    target = call.fds.get(1)
    if target is not None and target.kind == "pipe":
        call.out((" ".join(call.argv[1:]) or "y") + "\n")
        call.out("y\n" * YES_LINES)
        return 141
    return ProgramStart(Holder())
