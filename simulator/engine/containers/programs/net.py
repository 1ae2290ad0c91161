"""Programs that use the network: wget, curl, nslookup, nc and their kind.

A request is answered within the turn, by the network that the kubelet passes in (``Host.lookup``), and its
time passes afterwards: the program becomes a ``Later`` that is due after the latency. It sees
the state at the moment of the request, as a packet would. A container's own ports are asked directly,
since the network knows only the pods of the cluster.
"""

import re

from simulator.engine.containers.digits import whole
from simulator.engine.containers.files.filesystem import FileProblem
from simulator.engine.containers.kernel.answers import answer_of
from simulator.engine.containers.kernel.execute import Call, ProgramStart
from simulator.engine.containers.network_access import HttpAnswer, Url, parse_url
from simulator.engine.containers.process.state import Holder, Later

LATENCY_MS = 5
"""The duration of a request inside the cluster."""
DNS_SERVER = "10.96.0.10"
TIMEOUT_MS = 900_000
CONNECT_TIMEOUT_MS = 130_000


def fetch(call: Call, url: Url) -> HttpAnswer:
    """The answer to a GET: from this container itself, or from the network."""
    if url.host in ("localhost", "127.0.0.1", "0.0.0.0"):
        own = answer_of(call.kernel, port=url.port, path=url.path)
        # Another container of the pod may listen there: the network knows.
        if own.outcome != "refused":
            return own
    answer = call.kernel.host.lookup.get(url.host, url.port, url.path, call.kernel.meter)
    # A cycle of redirects must end.
    for _ in range(10):
        if not (answer.outcome == "answered" and answer.location and 300 <= answer.status < 400):
            break
        following = parse_url(answer.location) if "://" in answer.location else Url(url.scheme, url.host, url.port, answer.location)
        if following is None:
            break
        url, answer = following, call.kernel.host.lookup.get(following.host, following.port, following.path, call.kernel.meter)
    return answer


def resolves(call: Call, host: str) -> bool:
    """Whether a host's name exists, or is an address. May leave a note (``_address_of``)."""
    if re.fullmatch(r"[\d.]+", host) or host == "localhost":
        return True
    return _address_of(call, host) is not None


def _address_of(call: Call, name: str) -> str | None:
    """The address of a name; leaves a note if it is an internet host that the simulation does not have."""
    lookup = call.kernel.host.lookup
    address = lookup.resolve(name)
    if address is None and lookup.is_unlisted(name):
        text = f"{name[:120]} is not among the few hosts of the internet that the simulation has; here the name does not exist."
        call.kernel.note("internet-not-simulated", text)
    return address


_VALUED = """
max-time timeout output write-out retry retry-delay retry-max-time header request data connect-timeout output-document user user-agent
cacert cert key form data-raw data-binary data-urlencode url resolve connect-to interface proxy referer cookie cookie-jar unix-socket
tries waitretry post-data post-file max-redirs keepalive-time limit-rate range upload-file dns-servers oauth2-bearer
"""
"""Long options of curl and wget whose value may be the next word."""
_VALUED_NAMES = frozenset(_VALUED.split())


def _options(call: Call, valued: str) -> tuple[str, list[str], dict[str, str]]:
    flags, operands, values = "", [], {}
    words = list(call.argv[1:])
    while words:
        word = words.pop(0)
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            values[name] = value
            if not equals and name in _VALUED_NAMES:
                values[name] = words.pop(0) if words else ""
            continue
        if not word.startswith("-") or word == "-":
            operands.append(word)
            continue
        for index, letter in enumerate(word[1:], 1):
            flags += letter
            if letter in valued:
                values[letter] = word[index + 1 :] or (words.pop(0) if words else "")
                break
    return flags, operands, values


def later(call: Call, delay_ms: int, result: Later) -> ProgramStart:
    """A program whose answer is there after the time of a request and the server's delay."""
    return ProgramStart(result, "timer", call.kernel.now_ms + LATENCY_MS + delay_ms)


def _limit_ms(text: str, default: int) -> int:
    return whole(text) * 1000 or default


def _response_head(answer: HttpAnswer) -> str:
    """The lines that ``wget -S`` shows of a response: status and headers, each indented by two spaces (busybox networking/wget.c)."""
    size = len(answer.body.encode("utf-8", "surrogateescape"))
    lines = [f"HTTP/1.1 {answer.status} {REASONS.get(answer.status, 'Error')}", f"Content-Length: {size}", "Connection: close", ""]
    return "".join(f"  {line}\n" for line in lines)


def wget(call: Call) -> "int | ProgramStart":
    """``wget [-qSO file] [-T seconds] [--spider] url``."""
    flags, operands, values = _options(call, "OTtUPYo")
    url = parse_url(operands[0]) if operands else None
    if url is None:
        return call.fail("bad address ''" if operands else "missing URL")
    quiet = "q" in flags
    given = values.get("O") or values.get("output-document") or ""
    # GNU wget opens its output file before the request, so a full disk is reported before a bad host.
    if call.gnu and given not in ("", "-") and (problem := _unwritable(call, given)):
        call.err(f"{given}: {problem}\n")
        return 1
    if not resolves(call, url.host):
        return later(call, 0, Later(stderr=f"wget: bad address '{url.host}'\n", code=1))
    lead = "" if quiet else f"Connecting to {url.host}:{url.port}\n"
    answer = fetch(call, url)
    if answer.outcome == "answered" and ("S" in flags or "server-response" in values):
        lead += _response_head(answer)
    limit_ms = _limit_ms(values.get("T", values.get("timeout", "")), TIMEOUT_MS)
    if answer.outcome == "timeout" or answer.delay_ms > limit_ms:
        return later(
            call, min(limit_ms, max(answer.delay_ms, CONNECT_TIMEOUT_MS)), Later(stderr=f"{lead}wget: download timed out\n", code=1)
        )
    if answer.outcome == "refused":
        return later(call, 0, Later(stderr=f"{lead}wget: can't connect to remote host ({url.host}): Connection refused\n", code=1))
    if answer.outcome == "eof":
        return later(call, answer.delay_ms, Later(stderr=f"{lead}wget: error getting response\n", code=1))
    if answer.status >= 400:
        text = f"{lead}wget: server returned error: HTTP/1.1 {answer.status} {REASONS.get(answer.status, 'Error')}\n"
        return later(call, answer.delay_ms, Later(stderr=text, code=8 if call.gnu else 1))
    name = given or url.path.rpartition("/")[2] or "index.html"
    if "spider" in values or name == "/dev/null":
        return later(call, answer.delay_ms, Later(stderr=lead))
    if name == "-":
        return later(call, answer.delay_ms, Later(stdout=answer.body, stderr=lead))
    code, words = _unwritten(call, name, quiet=quiet)
    return later(call, answer.delay_ms, Later(stderr=lead, path=call.path(name), text=answer.body, unwritten=words, unwritten_code=code))


def _unwritable(call: Call, name: str) -> str:
    """Why GNU wget cannot open its output file, which it opens and empties before the request; empty if it can."""
    if name == "/dev/null":
        return ""
    try:
        call.kernel.fs.write(call.path(name), "")
    except FileProblem as problem:
        return str(problem)
    return ""


def _unwritten(call: Call, name: str, *, quiet: bool) -> tuple[int, tuple[str, ...]]:
    """Exit code and messages (``Later``) of a wget that cannot write its file. GNU's are those for a name that came from a URL.

    Source: busybox networking/wget.c, libbb/wfopen.c; GNU wget src/utils.c fopen_stat, src/http.c.
    """
    if not call.gnu:
        return 1, (f"wget: can't open '{name}': ", "\n")
    return 3, () if quiet else (f"{name}: ", f"\n\nCannot write to '{name}' (", ").\n")


def curl(call: Call) -> "int | ProgramStart":
    """``curl [-sSfLkI] [-o file] [-m seconds] [-w format] url``."""
    flags, operands, values = _options(call, "omwHXdAuTFbceExrCD")
    asked = operands[0] if operands else values.get("url", "")
    url = parse_url(asked) if asked else None
    if url is None:
        return call.fail("no URL specified!", 2)
    # -S shows errors that -s hides.
    silent = ("s" in flags or "silent" in values) and "S" not in flags
    code, text, answer = 0, "", HttpAnswer("refused")
    if not resolves(call, url.host):
        code, text = 6, f"Could not resolve host: {url.host}"
    else:
        answer = fetch(call, url)
        limit_ms = _limit_ms(values.get("m", values.get("max-time", "")), CONNECT_TIMEOUT_MS)
        if answer.outcome == "timeout" or answer.delay_ms > limit_ms:
            code, text = 28, f"Operation timed out after {limit_ms} milliseconds"
            answer = HttpAnswer("timeout", delay_ms=limit_ms)
        elif answer.outcome == "refused":
            code, text = 7, f"Failed to connect to {url.host} port {url.port}: Connection refused"
        elif answer.outcome == "eof":
            code, text = 52, "Empty reply from server"
        elif answer.status >= 400 and ("f" in flags or "fail" in values):
            code, text = 22, f"The requested URL returned error: {answer.status}"
    body = answer.body if code == 0 else ""
    body = f"HTTP/1.1 {answer.status} {REASONS.get(answer.status, '')}\n\n" if "I" in flags and code == 0 else body
    name = values.get("o", values.get("output", ""))
    shown = "" if name else body
    shown += values.get("w", values.get("write-out", "")).replace("%{http_code}", f"{answer.status:03d}").replace("\\n", "\n")
    error = f"curl: ({code}) {text}\n" if code and not silent else ""
    path = call.path(name) if name and name != "/dev/null" and not code else ""
    unwritten = () if silent else ("curl: (23) Failure writing output to destination\n",)
    return later(call, answer.delay_ms, Later(shown, error, code, path, body, unwritten, 23))


def nslookup(call: Call) -> "int | ProgramStart":
    """``nslookup name``: what busybox 1.28 prints; status 1 if the name does not exist."""
    names = [word for word in call.argv[1:] if not word.startswith("-")]
    if not names:
        return call.fail("missing name")
    name = names[0]
    address = _address_of(call, name)
    lead = f"Server:    {DNS_SERVER}\nAddress 1: {DNS_SERVER} kube-dns.kube-system.svc.cluster.local\n\n"
    if address is None:
        return later(call, 0, Later(stdout=lead, stderr=f"nslookup: can't resolve '{name}'\n", code=1))
    return later(call, 0, Later(stdout=f"{lead}Name:      {name}\nAddress 1: {address} {name}\n"))


def host(call: Call) -> "int | ProgramStart":
    """``host``, ``dig`` and ``getent hosts``: status 0 if the name exists (dig always)."""
    names = [word for word in call.argv[1:] if not word.startswith(("-", "+", "@")) and word not in ("hosts", "ahosts", "A")]
    address = _address_of(call, names[0]) if names else None
    if address is None:
        return later(call, 0, Later(code=0 if call.name == "dig" else 2 if call.name == "getent" else 1))
    text = f"{address}      {names[0]}\n" if call.name != "dig" else f"{address}\n"
    return later(call, 0, Later(stdout=text))


def ping(call: Call) -> "int | ProgramStart":
    """``ping [-c n] host``."""
    _, names, values = _options(call, "cWwi")
    name = names[0] if names else ""
    if not resolves(call, name):
        return call.fail(f"bad address '{name}'")
    count = whole(values.get("c", ""))
    if not count:
        return ProgramStart(Holder())
    text = "".join(f"64 bytes from {name}: seq={i} ttl=64 time=0.050 ms\n" for i in range(min(count, 100)))
    return later(call, (count - 1) * 1000, Later(stdout=text))


def nc(call: Call) -> "int | ProgramStart":
    """``nc -l -p port [-e program]`` listens; ``nc [-z] host port`` connects."""
    flags, operands, values = _options(call, "pwsqiX")
    words = list(call.argv)
    handler = tuple(words[words.index("-e") + 1 :]) if "-e" in words else ()
    if "l" in flags:
        text = values.get("p", "") or next((word for word in operands if word.isdecimal()), "")
        port = whole(text)
        return ProgramStart(Holder((port,), "handler" if handler else "reply", handler=handler))
    port = whole(operands[1]) if len(operands) > 1 else 0
    name = operands[0] if operands else ""
    if not resolves(call, name):
        return call.fail(f"bad address '{name}'")
    answer = fetch(call, Url("tcp", name, port, "/"))
    if answer.outcome in ("answered", "eof"):
        return later(call, 0, Later())
    if answer.outcome == "timeout":
        return later(call, _limit_ms(values.get("w", ""), CONNECT_TIMEOUT_MS), Later(code=1))
    return later(call, 0, Later(stderr=f"nc: {name} ({name}:{port}): Connection refused\n", code=1))


REASONS = {
    200: "OK", 201: "Created", 204: "No Content", 301: "Moved Permanently", 302: "Found", 304: "Not Modified", 400: "Bad Request",
    401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway",
    503: "Service Unavailable", 504: "Gateway Timeout",
}  # fmt: skip
