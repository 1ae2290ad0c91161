"""Where a known server listens: its own port, unless its arguments or a configuration that is mounted say otherwise.

Only what decides the port is read, and of nginx whether something else than files is served. The
rest of a configuration is taken to be right.

Sources: nginx ngx_http_core_module listen; redis.conf port; etcd op-guide/configuration; the manual
pages of mysqld, postgres, mongod and memcached; rabbitmq:management's Dockerfile.
"""

import re

from simulator.engine.containers.digits import whole
from simulator.engine.containers.images.reference import parse_reference
from simulator.engine.containers.kernel.execute import Call

_PORT_FLAGS = ("--port", "-p", "-port", "-listen", "-P")
_URLS = ("--listen-client-urls", "--listen-metrics-urls", "--listen-peer-urls")
_LISTEN = re.compile(r"(?:^|[{;])\s*listen\s+([^;\s]+)", re.M)
_NOT_FILES = ("return ", "_pass ", "stub_status")
_CONF, _CONF_D, _TEMPLATES = "/etc/nginx/nginx.conf", "/etc/nginx/conf.d", "/etc/nginx/templates"
_MANAGEMENT = (15672, 15692)


def listened_ports(call: Call, usual: tuple[int, ...]) -> tuple[int, ...]:
    """The ports of a server by its arguments; ``usual`` if they name none."""
    if call.name == "etcd":
        return _etcd_ports(call) or usual
    if call.name == "rabbitmq-server":
        image = parse_reference(call.kernel.launch.image)
        return (*usual, *_MANAGEMENT) if image is not None and "management" in image.tag else usual
    if call.name in ("redis-server", "redis-sentinel"):
        usual = _redis_ports(call) or usual
    given = _flag_value(call.argv)
    return (whole(given),) if given.isdecimal() else usual


def _flag_value(words: tuple[str, ...]) -> str:
    found = ""
    for index, word in enumerate(words[1:], 1):
        name, equals, value = word.partition("=")
        if name not in _PORT_FLAGS:
            continue
        value = value if equals else words[index + 1] if index + 1 < len(words) else ""
        found = value.lstrip(":") if value.lstrip(":").isdecimal() else found
    return found


def _etcd_ports(call: Call) -> tuple[int, ...]:
    ports: dict[int, None] = {}
    for index, word in enumerate(call.argv):
        name, equals, value = word.partition("=")
        if name in _URLS:
            value = value if equals else "".join(call.argv[index + 1 : index + 2])
            ports.update({whole(url.rpartition(":")[2].rstrip("/")): None for url in value.split(",")})
    if ports and 2380 not in ports and not any(word.startswith("--listen-peer-urls") for word in call.argv):
        ports[2380] = None
    return tuple(port for port in ports if port)


def _redis_ports(call: Call) -> tuple[int, ...]:
    if "--sentinel" in call.argv:
        return (26379,)
    for word in call.argv[1:2]:
        entry = call.kernel.fs.get(call.path(word)) if not word.startswith("-") else None
        port = re.search(r"^\s*port\s+(\d{1,5})\b", entry.text, re.M) if entry is not None else None
        if port is not None:
            return (int(port.group(1)),)
    return ()


def nginx_setting(call: Call) -> tuple[tuple[int, ...], bool]:
    """The ports of a mounted configuration, or those of the image, and whether it serves something else than files."""
    usual, fs, words = call.kernel.facts.listens or (80,), call.kernel.fs, call.argv
    main = call.path(words[words.index("-c") + 1]) if "-c" in words[:-1] else _CONF
    names = [f"{where}/{name}" for where in (_CONF_D, _TEMPLATES) for name in fs.names(where) if name.endswith((".conf", ".template"))]
    texts = [entry.text for entry in map(fs.get, (main, *names)) if entry is not None]
    if not texts:
        return usual, False
    whole_text = "\n".join(re.sub(r"#.*", "", text) for text in texts)
    call.charge(len(whole_text) >> 3)
    ports = dict.fromkeys(port for text in _LISTEN.findall(whole_text) if (port := _listen_port(text)))
    # The image's own server stays where neither its file nor what includes it is replaced.
    is_replaced = fs.mounted(f"{_CONF_D}/default.conf") or (fs.get(main) is not None and "conf.d" not in whole_text)
    if not ports or not is_replaced:
        ports.update(dict.fromkeys(usual))
    return tuple(ports), any(mark in whole_text for mark in _NOT_FILES)


def _listen_port(text: str) -> int:
    if text.startswith("unix:"):
        return 0
    end = text.rpartition(":")[2]
    return whole(end) if end.isdecimal() else 80 if "]" not in end or text.endswith("]") else 0
