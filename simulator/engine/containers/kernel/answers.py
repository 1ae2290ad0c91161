"""How a container's servers answer HTTP requests.

A port belongs to a ``Holder``, and its ``site`` says what it serves: ``ok`` answers 200 to everything,
``files`` serves the container's own files as nginx or httpd would, ``ten-seconds`` is agnhost's liveness,
``handler`` runs a command per connection, ``reply`` is ``nc -l`` with its input, "" closes the connection.
A request must not change the container, since probes run all the time and a replay may send requests in another
order: a handler runs on a copy of the container, which is thrown away.
"""

import re

from msgspec import structs

from simulator.engine.containers.declared import Listen, parse_block, step_at
from simulator.engine.containers.files.filesystem import FileProblem, normalise
from simulator.engine.containers.images.known import HTTPD_ROOT, NGINX_ROOT
from simulator.engine.containers.kernel.execute import HTTP_AND_MORE, PRESUMED, Missing, become, execute
from simulator.engine.containers.kernel.kernel import Kernel
from simulator.engine.containers.network_access import HttpAnswer
from simulator.engine.containers.process.frames import NULL, OutputTarget
from simulator.engine.containers.process.state import Holder, Launch

REFUSED = HttpAnswer("refused")
HANDLER_TURNS_MAX = 50
REQUESTS_MAX = 2
"""How many requests a handler may make to its own container while it answers one."""
HEALTHY_MS = 10_000
"""agnhost ``liveness`` answers 200 for the first ten seconds."""
NGINX_INDEX = (
    "<!DOCTYPE html>\n<html>\n<head>\n<title>Welcome to nginx!</title>\n</head>\n<body>\n<h1>Welcome to nginx!</h1>\n"
    "<p>If you see this page, the nginx web server is successfully installed and\nworking. Further configuration is required.</p>\n"
    "</body>\n</html>\n"
)
_INDEX_OF = {NGINX_ROOT: NGINX_INDEX, HTTPD_ROOT: "<html><body><h1>It works!</h1></body></html>\n"}
"""The page that comes with a server's image, by the directory it serves."""
_STATUS_LINE = re.compile(r"HTTP/1\.[01] (\d{3})[^\n]*\n")


def answer_of(kernel: Kernel, *, port: int, path: str) -> HttpAnswer:
    """The answer of this container's own servers to a GET; ``refused`` if none listens."""
    for task, holder in kernel.holders():
        if port not in holder.ports:
            continue
        if holder.declared:
            since_ms = kernel.now_ms - kernel.started_ms
            return declared_answer(declared_listen(kernel.launch, since_ms, port), since_ms, path)
        path = _asked_path(path)
        if holder.site in ("ok", PRESUMED, HTTP_AND_MORE):
            return HttpAnswer("answered", 200, "ok\n")
        if holder.site == "files":
            return _file_answer(kernel, holder.root or task.cwd, path)
        if holder.site == "ten-seconds":
            return _ten_seconds(kernel, path)
        if holder.site == "handler":
            return _handler_answer(kernel, holder, port, path)
        if holder.site == "reply":
            return _parsed(kernel.pipes.get(task.fds[0].pipe, "") if 0 in task.fds else "", 0)
        return HttpAnswer("eof")
    return REFUSED


def _asked_path(path: str) -> str:
    return "/" + path.partition("?")[0].lstrip("/")


def _ten_seconds(kernel: Kernel, path: str) -> HttpAnswer:
    if path != "/healthz":
        return HttpAnswer("answered", 404)
    since_ms = kernel.now_ms - kernel.started_ms
    if since_ms > HEALTHY_MS:
        return HttpAnswer("answered", 500, f"error: {since_ms / 1000}")
    return HttpAnswer("answered", 200, "ok")


def _file_answer(kernel: Kernel, root: str, path: str) -> HttpAnswer:
    full = normalise(root.rstrip("/") + path)
    fs = kernel.fs
    if fs.is_dir(full):
        if not path.endswith("/"):
            return HttpAnswer("answered", 301, "", path + "/")
        index = full.rstrip("/") + "/index.html"
        entry = fs.get(index)
        if entry is not None:
            return HttpAnswer("answered", 200, entry.text)
        if root in _INDEX_OF and path == "/" and not fs.mounted(full):
            return HttpAnswer("answered", 200, _INDEX_OF[root])
        # Python's server lists a directory without index.html; nginx and httpd forbid it.
        python = any(task.argv[:1] and task.argv[0].startswith("python") for task, _ in kernel.holders())
        return HttpAnswer("answered", 200 if python else 403, "\n".join(fs.names(full)) if python else "")
    try:
        return HttpAnswer("answered", 200, fs.read(full))
    except FileProblem:
        # A volume mounted over the root hides the page that comes with the image.
        default = root in _INDEX_OF and not fs.mounted(root)
        return HttpAnswer("answered", 200, _INDEX_OF[root]) if default and path == "/index.html" else HttpAnswer("answered", 404)


def _handler_answer(kernel: Kernel, holder: Holder, port: int, path: str) -> HttpAnswer:
    """Run the handler on a copy of the container, with the request as its input and its output as the answer."""
    if kernel.requests >= REQUESTS_MAX:
        return HttpAnswer("timeout")
    begun_ms = kernel.now_ms
    copy = Kernel(kernel.freeze(), kernel.host, kernel.userland, kernel.meter)  # all of it is charged to one request
    copy.requests = kernel.requests + 1
    request = f"GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nUser-Agent: kube-probe\r\nAccept: */*\r\nConnection: close\r\n\r\n"
    pipe = copy.new_pipe(capture=True)
    fds = {0: OutputTarget("pipe", copy.new_pipe(request)), 1: OutputTarget("pipe", pipe), 2: NULL}
    task = copy.spawn(None, holder.handler, Holder(), fds)
    task.session = task.pid
    result = execute(copy, task, holder.handler, fds=fds, env=task.env)
    if isinstance(result, Missing):
        return HttpAnswer("eof")
    become(copy, task, result)
    # Time passes for the copy alone: the answer is delayed by however long the handler slept.
    for _ in range(HANDLER_TURNS_MAX):
        copy.run()
        due = copy.wake_ms(session=task.session)
        if task.pid not in copy.tasks or due is None:
            break
        copy = Kernel(copy.freeze(), structs.replace(copy.host, now_ms=max(due, copy.now_ms)), kernel.userland, kernel.meter)
        copy.requests = kernel.requests + 1
    if task.pid in copy.tasks:
        return HttpAnswer("timeout")
    return _parsed(copy.pipes.get(pipe, ""), copy.now_ms - begun_ms)


def _parsed(text: str, delay_ms: int) -> HttpAnswer:
    match = _STATUS_LINE.match(text)
    if match is None:
        return HttpAnswer("eof", delay_ms=delay_ms)
    head, _, body = text.replace("\r\n", "\n").partition("\n\n")
    location = re.search(r"(?im)^location: *(\S+)", head)
    return HttpAnswer("answered", int(match.group(1)), body, location.group(1) if location else "", delay_ms)


def declared_listen(launch: Launch, since_ms: int, port: int) -> Listen | None:
    """What the container's block declares for a port that long after its start; None if nothing listens there (yet)."""
    block = parse_block(launch.behaviour or launch.stand_in)
    if since_ms < block.startup_ms:
        return None
    return next((listen for listen in block.listens if listen.port == port), None)


def declared_answer(listen: Listen | None, since_ms: int, path: str) -> HttpAnswer:
    """The answer of a declared port that long after its container's start; ``refused`` if nothing listens there."""
    if listen is None:
        return REFUSED
    steps = dict(listen.paths).get(_asked_path(path), listen.otherwise)
    # A path whose first step begins later does not exist yet.
    step = step_at(steps, since_ms) or step_at(listen.otherwise, since_ms)
    if step is None:
        return HttpAnswer("answered", 404, delay_ms=listen.delay_ms)
    return HttpAnswer("answered", step.status, step.body, step.location, listen.delay_ms + step.delay_ms)
