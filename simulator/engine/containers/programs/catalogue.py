"""Which programs there are, and which image has which."""

from collections.abc import Mapping

from simulator.engine.containers.images.known import ImageFacts
from simulator.engine.containers.kernel.execute import SHELLS, Program, opaque
from simulator.engine.containers.kernel.kernel import Kernel
from simulator.engine.containers.process.state import Shell
from simulator.engine.containers.programs import (
    basic,
    clients,
    clock,
    columns,
    editing,
    files,
    ipc,
    languages,
    net,
    python,
    servers,
    storage,
    system,
    text,
    tools,
    windows,
)
from simulator.engine.containers.shell import conditions
from simulator.engine.model.system import WINDOWS

STREAMING = ("cat", "grep", "egrep", "fgrep", "sed", "tee", "tr", "cut", "rev", "awk")
"""Programs that pass on each line as it comes instead of waiting for the end of their input."""

_COMMON: Mapping[str, Program] = {
    "echo": basic.echo, "printf": basic.printf, "true": basic.true, "false": basic.false, "env": basic.env, "printenv": basic.printenv,
    "seq": basic.seq, "expr": basic.expr, "hostname": basic.hostname, "uname": basic.uname, "whoami": basic.whoami, "id": basic.identity,
    "basename": basic.basename, "dirname": basic.dirname, "tty": basic.tty, "date": clock.date, "sleep": system.sleep, "sh": system.shell,
    "timeout": system.timeout, "kill": system.kill, "nohup": system.passing, "nice": system.passing, "setsid": system.passing,
    "test": conditions.test, "[": conditions.test, "touch": files.touch, "rm": files.rm, "rmdir": files.rm, "mkdir": files.mkdir,
    "ls": files.ls, "cp": files.cp, "mv": files.cp, "ln": files.ln, "chmod": files.chmod, "chown": files.chmod, "chgrp": files.chmod,
    "dd": storage.dd, "truncate": storage.fallocate, "fallocate": storage.fallocate, "stat": storage.stat, "mktemp": storage.mktemp,
    "find": storage.find, "df": storage.df, "du": storage.df, "sync": basic.true, "yes": servers.yes,
    "cat": text.cat, "tac": text.tac, "head": text.head,
    "tail": text.tail, "rev": text.rev, "grep": text.grep, "egrep": text.grep, "fgrep": text.grep, "wc": columns.wc, "sort": columns.sort,
    "uniq": columns.uniq, "cut": columns.cut, "tr": columns.tr, "tee": text.tee, "base64": columns.base64,
    "md5sum": columns.sha, "sha1sum": columns.sha,
    "sha256sum": columns.sha, "sha512sum": columns.sha, "sed": editing.sed, "awk": editing.awk,
}  # fmt: skip
_TOOLS: Mapping[str, Program] = {
    "sysctl": tools.sysctl, "realpath": tools.path_of, "readlink": tools.path_of, "mkfifo": tools.make_files, "mknod": tools.make_files,
    "xargs": tools.xargs,
}  # fmt: skip
"""Tools that are worked out, though most images' scripts only call them on the way to something else."""
_BUSYBOX: Mapping[str, Program] = {
    **dict.fromkeys(tools.BUSYBOX, tools.taken_to_succeed), **dict.fromkeys((*tools.DAEMONS, *tools.RUNNERS), opaque), **_TOOLS,
    "usleep": tools.usleep,
    "ash": system.shell, "busybox": system.shell, "ps": system.ps, "killall": system.killall, "pkill": system.killall,
    "pgrep": system.pgrep,
    "pidof": system.pgrep, "wget": net.wget, "nslookup": net.nslookup, "nc": net.nc, "ping": net.ping, "httpd": servers.httpd,
    "chpst": system.passing, "clear": basic.true, "ipcs": ipc.ipcs, "ipcrm": ipc.ipcrm, "vi": opaque, "telnet": net.nc,
}  # fmt: skip
_DEBIAN: Mapping[str, Program] = {
    **dict.fromkeys(tools.DEBIAN, tools.taken_to_succeed),
    **dict.fromkeys(tools.RUNNERS, opaque),
    **{name: program for name, program in _TOOLS.items() if name != "sysctl"},
    **dict.fromkeys(("apt", "apt-get"), tools.install),
    "bash": system.shell,
    "dash": system.shell,
    "getent": net.host,
    "perl": languages.perl,
    "pidof": system.pgrep,
    "ipcs": ipc.ipcs,
    "ipcmk": ipc.ipcmk,
    "ipcrm": ipc.ipcrm,
}
_OTHER: Mapping[str, Program] = {
    "nginx": servers.nginx, "curl": net.curl, "dig": net.host, "host": net.host, "python": python.python, "python3": python.python,
    "agnhost": servers.agnhost,
    "socat": servers.socat, "stress": servers.stress, "stress-ng": servers.stress,
    "docker-entrypoint.sh": servers.entrypoint,
    "docker-php-entrypoint": servers.entrypoint, "tini": system.passing, "dumb-init": system.passing, "gosu": system.as_user,
    "su-exec": system.as_user,
    "rabbitmq-diagnostics": servers.client, "rabbitmqctl": servers.client, "etcdctl": servers.client,
    **dict.fromkeys(clients.NAMES, clients.client), "healthcheck.sh": servers.client, "git": tools.git,
    **dict.fromkeys(("envsubst", "openssl", "pg_ctl", "rabbitmq-plugins", "redis-benchmark", "wait-for-it.sh"), tools.taken_to_succeed),
    **dict.fromkeys(tools.ALPINE, tools.taken_to_succeed), **dict.fromkeys(tools.INSTALLERS, tools.install),
    **dict.fromkeys(servers.SERVER_NAMES, servers.listener),
}  # fmt: skip
_EVERYTHING: Mapping[str, Program] = {**_OTHER, **_DEBIAN, **_BUSYBOX, **_COMMON}
_BY_TOOLS: Mapping[str, Mapping[str, Program]] = {
    "busybox": {**_BUSYBOX, **_COMMON},
    "alpine": {**dict.fromkeys(tools.ALPINE, tools.taken_to_succeed), **_BUSYBOX, **_COMMON, "apk": tools.install, "getent": net.host},
    "debian": {**_COMMON, **_DEBIAN},
    "none": {},
    "any": _EVERYTHING,
}  # fmt: skip


_ON_NANOSERVER: Mapping[str, Program] = {
    "cmd": windows.cmd, "ping": windows.ping, "hostname": windows.hostname, "whoami": windows.whoami, "pwsh": windows.powershell,
}  # fmt: skip
_ON_SERVERCORE: Mapping[str, Program] = {**_ON_NANOSERVER, "powershell": windows.powershell}
_BUILT_IN: Mapping[str, Program] = {
    "sleep": system.sleep,
    "printf": basic.printf,
    "true": basic.true,
    "HttpListener": windows.http_listener,
}
"""Builtins of cmd and PowerShell: only their scripts can call these."""
_BUSYBOX_ON_WINDOWS = ("busybox", "alpine")
"""Images of Kubernetes' tests bring busybox to Windows too."""


def program_of(kernel: Kernel, name: str) -> Program | None:
    """The program of that name in this container, or None."""
    if kernel.launch.os == WINDOWS:
        return _program_on_windows(kernel, name)
    program = program_in(kernel.facts, name)
    if program is None and (file := kernel.fs.get(f"{tools.INSTALLED}/{name}")) is not None and file.is_opaque:
        return opaque if name in tools.SERVERS else _EVERYTHING.get(name, tools.taken_to_succeed)
    return program


def _program_on_windows(kernel: Kernel, name: str) -> Program | None:
    """The program of that name in a Windows container, or None: names may end with .exe and ignore case."""
    facts = kernel.facts
    if name in _BUILT_IN and any(isinstance(task.body, Shell) and task.body.flavour in windows.SHELLS for task in kernel.tasks.values()):
        return _BUILT_IN[name]
    base = name.replace("\\", "/").rpartition("/")[2].lower().removesuffix(".exe")
    program = (_ON_SERVERCORE if facts.base == "servercore" else _ON_NANOSERVER).get(base)
    # pwsh is not part of Windows: an image must bring it.
    if program is not None and (base != "pwsh" or base in facts.extra or not facts.known):
        return program
    # Whatever else an unknown image calls is assumed to be its own program, but not a Linux shell.
    if not facts.known or facts.kind == "windows":
        return None if base in SHELLS or base in _ON_SERVERCORE else opaque
    if facts.tools not in _BUSYBOX_ON_WINDOWS:
        own = base in facts.extra or any(word.rpartition("/")[2] == base for word in facts.entrypoint)
        return _EVERYTHING.get(base, opaque) if own else None
    return program_in(facts, base)


def program_in(facts: ImageFacts, name: str) -> Program | None:
    """The program of that name in an image, or None. An unknown image has every program."""
    program = _BY_TOOLS[facts.tools].get(name)
    if program is not None:
        return program
    own = name in facts.extra or name in [word.rpartition("/")[2] for word in facts.entrypoint]
    if own:
        return _EVERYTHING.get(name, opaque)
    if facts.tools == "any" and name not in SHELLS:
        return opaque
    return None
