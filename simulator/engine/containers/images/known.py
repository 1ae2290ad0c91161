"""What is known about public images: their default program, their tools and how they take signals.

Facts come from the images' published Dockerfiles. An image that is not listed is *unknown*: it is assumed to exist, to have
every tool, to end with 0 on TERM, and to do what its manifest expects (``execute.hold_unknown``).

The tools of an image decide which programs a script finds and how messages read: ``busybox`` and
``alpine`` print busybox's messages, ``debian`` GNU's, ``none`` has no shell at all (an exec probe with
``sh -c`` fails there), ``any`` is an unknown image. The stop signal matters most: nginx stops
gracefully on QUIT, httpd on WINCH, postgres on INT, and the kubelet sends what the image declares.
"""

from collections.abc import Mapping
from hashlib import sha256

from msgspec import Struct

from simulator.engine.containers.images.reference import parse_reference, with_default_tag
from simulator.engine.kernel.caching import cached_when_short
from simulator.engine.model.system import LINUX, NAMES, WINDOWS

MIB = 1 << 20
NGINX_ROOT = "/usr/share/nginx/html"
HTTPD_ROOT = "/usr/local/apache2/htdocs"


def _dirs(text: str) -> dict[str, None]:
    return dict.fromkeys(text.split())


_BUSYBOX_DIRS = _dirs(
    "/bin /dev /dev/shm /dev/pts /etc /home /lib /lib64 /proc /root /sys /tmp /usr /usr/bin /usr/sbin /var /var/spool /var/spool/mail"
    " /var/www /var/run /run /run/secrets /var/run/secrets"
)
_LINUX_DIRS = {
    **_BUSYBOX_DIRS,
    **_dirs(
        "/boot /media /mnt /opt /run/lock /sbin /srv /usr/include /usr/lib /usr/libexec /usr/local /usr/local/bin"
        " /usr/local/etc /usr/local/lib"
        " /usr/local/share /usr/local/src /usr/share /usr/src /var/cache /var/lib /var/local /var/lock /var/log /var/opt /var/tmp"
        " /etc/ssl /etc/ssl/certs"
    ),
}
_NGINX_DIRS = {
    **_LINUX_DIRS,
    **_dirs("/usr/share/nginx /usr/share/nginx/html /etc/nginx /etc/nginx/conf.d /var/cache/nginx /var/log/nginx /docker-entrypoint.d"),
}
_HTTPD_DIRS = {**_LINUX_DIRS, **_dirs("/usr/local/apache2 /usr/local/apache2/htdocs /usr/local/apache2/conf /usr/local/apache2/logs")}
_ALPINE_DIRS = {**_LINUX_DIRS, **_dirs("/etc/apk /etc/crontabs /etc/periodic /var/spool/cron /var/spool/cron/crontabs")}
DIRECTORIES: Mapping[str, Mapping[str, None] | None] = {
    "busybox": _BUSYBOX_DIRS, "alpine": _ALPINE_DIRS, "debian": _LINUX_DIRS, "none": _BUSYBOX_DIRS, "any": None,
}  # fmt: skip


class ImageFacts(Struct, frozen=True):
    """The contents of an image. ``kind``: its program family; ``tools``: busybox, alpine, debian, none or any."""

    entrypoint: tuple[str, ...] = ()
    cmd: tuple[str, ...] = ()
    stop_signal: int = 15
    user: str = ""
    size_bytes: int = 50 * MIB
    digest: str = ""
    listens: tuple[int, ...] = ()
    known: bool = False
    kind: str = "unknown"
    tools: str = "any"
    extra: tuple[str, ...] = ()
    directories: Mapping[str, None] | None = None
    working_dir: str = "/"
    volumes: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    platforms: tuple[str, ...] = NAMES
    base: str = "servercore"  # of its Windows build: servercore, or nanoserver, which has no PowerShell


class _Entry(Struct, frozen=True):
    """A row of the table below."""

    entrypoint: tuple[str, ...] = ()
    cmd: tuple[str, ...] = ()
    tools: str = "debian"
    size_mib: int = 50
    listens: tuple[int, ...] = ()
    stop_signal: int = 15
    extra: tuple[str, ...] = ()
    kind: str = ""
    user: str = ""
    working_dir: str = "/"
    platforms: tuple[str, ...] = (LINUX,)
    base: str = "servercore"


_SCRIPT = ("docker-entrypoint.sh",)
_PAUSE = _Entry(("/pause",), tools="none", size_mib=1, kind="pause", user="65535:65535", platforms=NAMES, base="nanoserver")
_AGNHOST = _Entry(
    ("/agnhost",), ("pause",), tools="alpine", size_mib=46, kind="agnhost", extra=("dig",), platforms=NAMES, base="nanoserver"
)
_NGINX = _Entry(
    ("/docker-entrypoint.sh",), ("nginx", "-g", "daemon off;"), size_mib=68, listens=(80,), stop_signal=3,
    extra=("nginx", "nginx-debug", "curl", "envsubst", "openssl"), kind="nginx",
)  # fmt: skip
_STRESS = _Entry(("/stress",), tools="none", size_mib=6, kind="stress", extra=("stress",))
_MYSQL_CLIENTS = ("mysql", "mysqladmin", "mysqlcheck", "mysqldump", "mysqlimport")
_POSTGRES_CLIENTS = (
    "createdb", "createuser", "dropdb", "pg_basebackup", "pg_ctl", "pg_dump", "pg_dumpall", "pg_isready", "pg_restore", "psql", "vacuumdb",
)  # fmt: skip
_HELLO = _Entry(("/hello-app",), tools="none", size_mib=11, listens=(8080,), kind="hello-app", extra=("hello-app",))
_NODE = _Entry(_SCRIPT, ("node",), size_mib=350, extra=("node", "npm", "npx", "yarn"), kind="runtime")
_IMAGES: dict[str, _Entry] = {
    "nginx": _NGINX,
    "nginxinc/nginx-unprivileged": _Entry(
        _NGINX.entrypoint, _NGINX.cmd, size_mib=68, listens=(8080,), stop_signal=3, extra=_NGINX.extra, kind="nginx", user="101"
    ),
    "nginx-slim": _Entry((), ("nginx", "-g", "daemon off;"), size_mib=70, listens=(80,), extra=_NGINX.extra, kind="nginx"),
    "busybox": _Entry((), ("sh",), tools="busybox", size_mib=2, kind="busybox"),
    "alpine": _Entry((), ("/bin/sh",), tools="alpine", size_mib=3, kind="alpine"),
    "bash": _Entry(_SCRIPT, ("bash",), tools="alpine", size_mib=6, extra=("bash",), kind="bash"),
    "debian": _Entry((), ("bash",), size_mib=48, kind="debian"),
    "ubuntu": _Entry((), ("/bin/bash",), size_mib=28, kind="debian"),
    "fedora": _Entry((), ("/bin/bash",), size_mib=60, kind="debian", extra=("curl", "dnf", "yum")),
    "centos": _Entry((), ("/bin/bash",), size_mib=80, kind="debian", extra=("curl", "ps", "yum", "dnf")),
    "redis": _Entry(
        _SCRIPT, ("redis-server",), size_mib=40, listens=(6379,),
        extra=("redis-server", "redis-cli", "redis-sentinel", "redis-benchmark", "gosu"), kind="redis", working_dir="/data",
    ),
    "httpd": _Entry((), ("httpd-foreground",), size_mib=58, listens=(80,), stop_signal=28, extra=("httpd-foreground",), kind="httpd"),
    "pause": _PAUSE,
    "vish/stress": _STRESS,
    "polinux/stress": _Entry((), (), tools="alpine", size_mib=4, extra=("stress",), kind="stress"),
    "python": _Entry((), ("python3",), size_mib=360, extra=("python", "python3", "pip", "curl", "wget"), kind="runtime", platforms=NAMES),
    "perl": _Entry((), ("perl", "-de0"), size_mib=330, extra=("perl", "curl", "wget"), kind="runtime"),
    "node": _NODE,
    "golang": _Entry((), ("bash",), size_mib=300, extra=("go",), kind="runtime", platforms=NAMES),
    "ruby": _Entry((), ("irb",), size_mib=340, extra=("ruby", "irb"), kind="runtime"),
    "php": _Entry(("docker-php-entrypoint",), ("php", "-a"), size_mib=160, extra=("php",), kind="runtime"),
    "agnhost": _AGNHOST,
    "hello-app": _HELLO,
    "node-hello": _Entry((), ("/bin/sh", "-c", "node server.js"), size_mib=180, listens=(8080,), extra=("node",), kind="runtime"),
    "goproxy": _Entry(("/goproxy",), tools="none", size_mib=2, listens=(8080,), extra=("goproxy",), kind="goproxy"),
    "etcd": _Entry((), ("etcd",), tools="none", size_mib=55, listens=(2379,), extra=("etcd", "etcdctl"), kind="etcd"),
    "alpine/socat": _Entry(("socat",), tools="alpine", size_mib=4, extra=("socat",), kind="socat"),
    "mysql": _Entry(_SCRIPT, ("mysqld",), size_mib=230, listens=(3306,), extra=("mysqld", *_MYSQL_CLIENTS, "gosu"), kind="mysql"),
    "mariadb": _Entry(
        _SCRIPT, ("mariadbd",), size_mib=120, listens=(3306,),
        extra=("mariadbd", "mysqld", *_MYSQL_CLIENTS, "mariadb", "mariadb-admin", "mariadb-dump", "healthcheck.sh", "gosu"),
        kind="mysql",
    ),
    "postgres": _Entry(
        _SCRIPT, ("postgres",), size_mib=150, listens=(5432,), stop_signal=2, extra=("postgres", *_POSTGRES_CLIENTS, "gosu"),
        kind="postgres",
    ),
    "mongo": _Entry(
        _SCRIPT, ("mongod",), size_mib=260, listens=(27017,),
        extra=("mongod", "mongos", "mongo", "mongosh", "mongodump", "mongoexport", "mongoimport", "mongorestore", "gosu"),
        kind="mongo", platforms=NAMES,
    ),
    "memcached": _Entry(_SCRIPT, ("memcached",), size_mib=30, listens=(11211,), extra=("memcached",), kind="memcached"),
    "rabbitmq": _Entry(
        _SCRIPT, ("rabbitmq-server",), size_mib=100, listens=(5672,),
        extra=("rabbitmq-server", "rabbitmq-diagnostics", "rabbitmqctl", "rabbitmq-plugins", "gosu"), kind="rabbitmq",
    ),
    "traefik/whoami": _Entry(
        ("/whoami",), tools="none", size_mib=3, listens=(80,), extra=("whoami",), kind="hello-app", platforms=NAMES, base="nanoserver"
    ),
    "hashicorp/http-echo": _Entry(("/http-echo",), tools="none", size_mib=3, listens=(5678,), extra=("http-echo",), kind="hello-app"),
}  # fmt: skip
_IIS = _Entry(("ServiceMonitor.exe", "w3svc"), size_mib=1900, listens=(80,), kind="windows", platforms=(WINDOWS,))
_WINDOWS_IMAGES: dict[str, _Entry] = {
    "mcr.microsoft.com/windows": _Entry((), ("cmd",), size_mib=3400, kind="windows", platforms=(WINDOWS,)),
    "mcr.microsoft.com/windows/server": _Entry((), ("cmd",), size_mib=3100, kind="windows", platforms=(WINDOWS,)),
    "mcr.microsoft.com/windows/servercore": _Entry((), ("cmd",), size_mib=1700, kind="windows", platforms=(WINDOWS,)),
    "mcr.microsoft.com/windows/nanoserver": _Entry(
        (), ("cmd",), size_mib=120, kind="windows", platforms=(WINDOWS,), user="ContainerUser", base="nanoserver"
    ),
    "mcr.microsoft.com/windows/servercore/iis": _IIS,
    "mcr.microsoft.com/dotnet/framework/aspnet": _IIS,
    "mcr.microsoft.com/dotnet/framework/runtime": _Entry((), ("cmd",), size_mib=1900, kind="windows", platforms=(WINDOWS,)),
    "mcr.microsoft.com/powershell": _Entry(
        (), ("pwsh",), size_mib=110, extra=("pwsh",), kind="windows", platforms=NAMES, base="nanoserver"
    ),
    "mcr.microsoft.com/oss/kubernetes/pause": _PAUSE,
}
"""Images in Microsoft's registry that have a Windows build. Their tools: cmd, and with servercore PowerShell."""
_WINDOWS_ONLY = ("mcr.microsoft.com/windows", "mcr.microsoft.com/dotnet/framework")
"""Every repository below these is Windows-only."""
_TAG_WORDS = (
    (WINDOWS, ("nanoserver", "servercore", "windows", "ltsc2019", "ltsc2022", "ltsc2025")),
    (LINUX, ("alpine", "bookworm", "bullseye", "buster", "slim", "jammy", "noble", "focal", "linux")),
)
"""Words in a tag that indicate the system an image is built for."""
_VOLUMES: Mapping[str, tuple[str, ...]] = {
    "redis": ("/data",), "mysql": ("/var/lib/mysql",), "postgres": ("/var/lib/postgresql/data",), "mongo": ("/data/db", "/data/configdb"),
    "rabbitmq": ("/var/lib/rabbitmq",),
}  # fmt: skip
"""What the images' Dockerfiles declare as VOLUME: writable even if the root file system is read-only."""
_FOR_TESTS = "e2e-test-images"
"""The images of Kubernetes' own tests: most of them have a Windows build (test/images, BASEIMAGE)."""
_BY_LAST_PART = (
    "busybox",
    "pause",
    "agnhost",
    "nginx-slim",
    "hello-app",
    "node-hello",
    "goproxy",
    "etcd",
    "redis",
    "nginx",
    "alpine",
    "debian",
)
_OFFICIAL_HOSTS = ("registry.k8s.io", "k8s.gcr.io", "gcr.io", "public.ecr.aws", "quay.io", "mirror.gcr.io")


def _entry(ref: str) -> _Entry | None:
    parsed = parse_reference(ref)
    if parsed is None:
        return None
    if parsed.familiar in _IMAGES:
        return _IMAGES[parsed.familiar]
    if parsed.name in _WINDOWS_IMAGES:
        return _WINDOWS_IMAGES[parsed.name]
    last = parsed.path.rpartition("/")[2].removesuffix("-amd64")
    if parsed.domain in _OFFICIAL_HOSTS and last in _BY_LAST_PART:
        return _IMAGES[last]
    return None


def _platforms(ref: str, entry: _Entry | None) -> tuple[str, ...]:
    """The systems that an image is built for, by its tag, its repository, or the table; an unlisted one runs anywhere."""
    parsed = parse_reference(ref)
    if parsed is None:
        return NAMES
    known = entry.platforms if entry is not None else NAMES
    if any(parsed.name == name or parsed.name.startswith(f"{name}/") for name in _WINDOWS_ONLY):
        return (WINDOWS,)
    # Checked before the words of the tag: those images are built for both systems under one tag.
    if _FOR_TESTS in parsed.path:
        return NAMES
    for system, words in _TAG_WORDS:
        # The tag is consulted only if the table leaves more than one system open.
        if len(known) > 1 and any(word in parsed.tag for word in words):
            return (system,)
    return known


@cached_when_short(maxsize=4096, chars_max=500)
def image_facts(ref: str) -> ImageFacts:
    """Facts about an image; ``known`` is False if it is not listed. Cached."""
    # Derived from the full name: the same reference must have the same digest in every run.
    digest = "sha256:" + sha256(with_default_tag(ref).encode()).hexdigest()
    entry = _entry(ref)
    if entry is None:
        return ImageFacts(digest=digest, platforms=_platforms(ref, None))
    tools = entry.tools
    if parsed := parse_reference(ref):
        # nginx:alpine and the like are the same program on busybox tools.
        tools = "alpine" if tools == "debian" and "alpine" in parsed.tag else tools
    if entry.platforms == (WINDOWS,):
        tools = "any"
    directories = {"nginx": _NGINX_DIRS, "httpd": _HTTPD_DIRS}.get(entry.kind, DIRECTORIES[tools])
    if entry.working_dir != "/" and directories is not None:
        directories = {**directories, entry.working_dir: None}
    return ImageFacts(
        entrypoint=entry.entrypoint,
        cmd=entry.cmd,
        stop_signal=entry.stop_signal,
        user=entry.user,
        size_bytes=entry.size_mib * MIB,
        digest=digest,
        listens=entry.listens,
        known=True,
        kind=entry.kind,
        tools=tools,
        extra=entry.extra,
        directories=directories,
        working_dir=entry.working_dir,
        volumes=_VOLUMES.get(entry.kind, ()),
        platforms=_platforms(ref, entry),
        base=entry.base,
    )
