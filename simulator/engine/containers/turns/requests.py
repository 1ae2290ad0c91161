"""Requests that reach a container over the network: HTTP, TCP and gRPC.

The order of the checks is that of a connection: is there a process, does it listen, does it accept, do
both sides speak the same protocol, what does the server say. A hung process keeps its ports open and
answers nothing, so a client times out instead of being refused.
"""

from simulator.engine.containers.declared import Listen, step_at
from simulator.engine.containers.effort import Exhausted, Meter
from simulator.engine.containers.kernel.answers import REFUSED, answer_of, declared_answer, declared_listen
from simulator.engine.containers.kernel.execute import HTTP_AND_MORE, PRESUMED
from simulator.engine.containers.kernel.kernel import Kernel
from simulator.engine.containers.network_access import GrpcAnswer, HttpAnswer
from simulator.engine.containers.process.state import Holder, Process
from simulator.engine.containers.process.turn import Host
from simulator.engine.containers.turns.begin import kernel_of

TLS_WANTED = HttpAnswer("answered", 400, "Client sent an HTTP request to an HTTPS server.\n")
"""The answer of Go's server to a plain request on a TLS port; nginx answers 400, too."""
NO_HTTP = ("", "tcp", "grpc")
"""Sites that close a connection at the first line of HTTP."""


def http_get(
    process: Process,
    *,
    port: int,
    path: str,
    scheme: str = "HTTP",
    headers: tuple[tuple[str, str], ...] = (),
    host: Host,
    meter: Meter | None = None,
) -> HttpAnswer:
    """The answer to a GET now. A handler script runs on a copy of the container, so a request changes nothing.

    ``meter`` is the requesting container's, which is charged for the answer; a probe of the kubelet has none.
    """
    if process.exit_code is not None:
        return REFUSED
    holder = _listening(process, port)
    if holder is None:
        return REFUSED
    if process.hung:
        return HttpAnswer("timeout")
    since_ms = host.now_ms - process.started_ms
    listen = declared_listen(process.launch, since_ms, port) if holder.declared else None
    if not holder.any_scheme:
        other = _other_scheme(holder, listen, scheme)
        if other is not None:
            return other
    if holder.declared:
        return declared_answer(listen, since_ms, path)
    if holder.site in ("ok", PRESUMED, HTTP_AND_MORE):
        return HttpAnswer("answered", 200, "ok\n")
    return _guarded_answer(kernel_of(process, host, meter), port, path, is_asked=meter is not None)


def _guarded_answer(kernel: Kernel, port: int, path: str, *, is_asked: bool) -> HttpAnswer:
    """The answer, or a closed connection if the interpreter fails on the server's script, as ``guarded`` does for a turn.

    A program's request is charged to its own container's turn, which ends if it is too much.
    """
    try:
        return answer_of(kernel, port=port, path=path)
    except (MemoryError, RecursionError):
        raise
    except Exhausted:
        if is_asked:
            raise
        return HttpAnswer("timeout", problem="The answer to a request would take more work than a container may cause at once.")
    except Exception as problem:
        reason = f"{type(problem).__name__}: {problem}"[:200]
        text = f"The interpreter failed ({reason}) at what answers a request, so the connection was closed."
        return HttpAnswer("eof", problem=text)
    finally:
        kernel.let_go()


def _other_scheme(holder: Holder, listen: Listen | None, scheme: str) -> HttpAnswer | None:
    """The result if the client speaks TLS and the server does not, or the other way round; None if both agree."""
    if (holder.declared and listen is None) or holder.site in NO_HTTP:
        return None
    if listen is not None and listen.tls:
        return None if scheme == "HTTPS" else TLS_WANTED
    return HttpAnswer("plain") if scheme == "HTTPS" else None


def _listening(process: Process, port: int) -> Holder | None:
    for task in process.tasks:
        if isinstance(task.body, Holder) and (port in task.body.ports):
            return task.body
    return None


def is_lasting(process: Process, port: int, path: str) -> bool:
    """Whether a GET gives the same answer as long as the process and its volumes are unchanged: no clock or script affects it."""
    for task in process.tasks:
        body = task.body
        if isinstance(body, Holder) and port in body.ports:
            root = body.root or task.cwd
            reads_files = body.site == "files" and root != "/" and not root.startswith("/proc") and ".." not in path
            return not process.hung and not body.declared and (reads_files or body.site in ("ok", PRESUMED, HTTP_AND_MORE))
    return False


def tcp_connect(process: Process, *, port: int, host: Host) -> str:
    """``accepted``, ``refused`` or (hung) ``timeout``."""
    if process.exit_code is not None:
        return "refused"
    holder = _listening(process, port)
    if holder is None:
        return "refused"
    if process.hung:
        return "timeout"
    if holder.declared and declared_listen(process.launch, host.now_ms - process.started_ms, port) is None:
        return "refused"
    return "accepted"


def grpc_check(process: Process, *, port: int, service: str = "", host: Host) -> GrpcAnswer:
    """Outcome of a gRPC health check now. A port that speaks another protocol never completes the connection.

    A declared port speaks gRPC if its block has ``grpc``; an empty map is a server without the health service.
    """
    outcome = tcp_connect(process, port=port, host=host)
    if outcome != "accepted":
        return GrpcAnswer(outcome)
    holder = _listening(process, port)
    assert holder is not None
    if not holder.declared:
        if holder.site == PRESUMED:
            return GrpcAnswer("serving")
        if holder.site not in ("grpc", HTTP_AND_MORE):
            return GrpcAnswer("timeout")
        return GrpcAnswer("unknown_service" if service else "serving")
    since_ms = host.now_ms - process.started_ms
    listen = declared_listen(process.launch, since_ms, port)
    if listen is None or listen.grpc is None:
        return GrpcAnswer("timeout")
    if not listen.grpc:
        return GrpcAnswer("unimplemented", listen.delay_ms)
    step = step_at(dict(listen.grpc).get(service, ()), since_ms)
    if step is None:
        return GrpcAnswer("unknown_service", listen.delay_ms)
    return GrpcAnswer("serving" if step.status else "not_serving", listen.delay_ms + step.delay_ms)
