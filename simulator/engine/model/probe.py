"""Probes, hooks and the handlers they share. Defaults: pkg/apis/core/v1/defaults.go SetDefaults_Probe."""

from msgspec import Struct

SUCCESS = "Success"

FAILURE = "Failure"

UNKNOWN = "Unknown"
"""Results of a probe; pkg/kubelet/prober/results."""


class ExecAction(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A command run inside the container."""

    command: tuple[str, ...] = ()


class HTTPHeader(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """One request header."""

    name: str
    value: str = ""


class HTTPGetAction(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """An HTTP GET; ``port`` is a number or the name of a container port, an empty ``host`` means the pod's own IP."""

    port: int | str
    path: str = "/"
    host: str = ""
    scheme: str = "HTTP"
    http_headers: tuple[HTTPHeader, ...] = ()


class TCPSocketAction(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A TCP connection attempt that succeeds as soon as it is accepted."""

    port: int | str
    host: str = ""


class GRPCAction(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A call of grpc.health.v1.Health/Check."""

    port: int
    service: str | None = None


class SleepAction(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A pause, for hooks only."""

    seconds: int


class Probe(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """A probe with its thresholds (times in seconds). 0 means unset, as in the API; ``effective`` fields apply the defaults."""

    exec: ExecAction | None = None
    http_get: HTTPGetAction | None = None
    tcp_socket: TCPSocketAction | None = None
    grpc: GRPCAction | None = None
    initial_delay_seconds: int = 0
    timeout_seconds: int = 0
    period_seconds: int = 0
    success_threshold: int = 0
    failure_threshold: int = 0
    termination_grace_period_seconds: int | None = None

    @property
    def period_s(self) -> int:
        """Seconds between attempts; default 10."""
        return self.period_seconds or 10

    @property
    def timeout_s(self) -> int:
        """Seconds an attempt may take; default 1."""
        return self.timeout_seconds or 1

    @property
    def successes_needed(self) -> int:
        """Consecutive successes needed to change the result; default 1."""
        return self.success_threshold or 1

    @property
    def failures_needed(self) -> int:
        """Consecutive failures needed to change the result; default 3."""
        return self.failure_threshold or 3


class LifecycleHandler(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """What a hook does; exactly one field is set."""

    exec: ExecAction | None = None
    http_get: HTTPGetAction | None = None
    tcp_socket: TCPSocketAction | None = None
    sleep: SleepAction | None = None


class Lifecycle(Struct, frozen=True, gc=False, kw_only=True, rename="camel"):
    """Hooks of a container and the signal that stops it."""

    post_start: LifecycleHandler | None = None
    pre_stop: LifecycleHandler | None = None
    stop_signal: str | None = None
