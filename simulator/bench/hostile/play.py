"""One hostile container on its own: started, then resumed whenever it asks to be, with the cost of each turn."""

from collections.abc import Callable, Iterator
from hashlib import sha256

from msgspec import Struct

from simulator.bench.hostile.model import HostileScript
from simulator.engine import containers as behaviour
from simulator.engine.containers import ExecState, ExecTurn, File, Files, Host, Launch, LogLine, Mount, Note, Process, Turn
from simulator.engine.containers.files.etc import Naming

SECONDS_MAX = 30
TURNS_MAX = 200
EXEC_AT_MS = 1000
MEMORY_LIMIT_BYTES = 256 << 20


class PlayedStep(Struct, frozen=True, kw_only=True):
    """One turn: its moment, the container's state after it, and ``took_ms`` by the caller's clock. ``digest`` covers everything visible."""

    at_ms: int
    exit_code: int | None
    wake_ms: int | None
    notes: tuple[Note, ...]
    digest: str
    took_ms: float


class _Container:
    """The newest state of the container and of its exec session, and the calls that advance it."""

    def __init__(self, script: HostileScript, clock: Callable[[], float]) -> None:
        self.now_ms = 0
        self.volumes: dict[str, Files] = {"given": {"input": File(script.given)}}
        self.session: ExecState | None = None
        self.wakes: list[int] = []
        self._clock = clock
        launch = Launch(
            script.image,
            command=(script.shell, "-c", script.script),
            naming=Naming(hostname="hostile"),
            mounts=(Mount("/given", "given"),),
            memory_limit_bytes=MEMORY_LIMIT_BYTES,
        )
        self.step = self._main(lambda: behaviour.start(launch, self._host()))

    def _host(self) -> Host:
        return Host(self.now_ms, volumes=self.volumes)

    def _main(self, act: Callable[[], Turn]) -> PlayedStep:
        began = self._clock()
        turn = act()
        took_ms = (self._clock() - began) * 1000
        self.process, self.exit_code = turn.process, turn.exit_code
        self.volumes.update(turn.volumes)
        self.wakes = [] if turn.wake_ms is None else [turn.wake_ms]
        if self.session is not None and turn.exit_code is None:
            due = behaviour.exec_wake_ms(turn.process, self.session)
            self.wakes += [] if due is None else [due]
        extra = f"{turn.oom}|{turn.waits_for_files}|{turn.start_error}"
        return self._noted(turn.wake_ms, turn.log, turn.notes, took_ms, extra=extra)

    def _exec(self, act: Callable[[], ExecTurn]) -> PlayedStep:
        began = self._clock()
        turn = act()
        took_ms = (self._clock() - began) * 1000
        self.process, self.session, self.exit_code = turn.process, turn.exec, turn.main_exit
        self.volumes.update(turn.volumes)
        self.wakes = [due for due in (turn.wake_ms, turn.main_wake_ms) if due is not None]
        extra = f"{turn.exit_code}|{turn.output}|{turn.error}|{turn.main_oom}|{turn.errors}"
        return self._noted(turn.wake_ms, turn.log, turn.notes, took_ms, extra=extra)

    def _noted(self, wake_ms: int | None, log: tuple[LogLine, ...], notes: tuple[Note, ...], took_ms: float, *, extra: str) -> PlayedStep:
        digest = sha256()
        for part in (self.now_ms, wake_ms, self.exit_code, log, notes, extra, *_state(self.process, self.now_ms)):
            digest.update(repr(part).encode("utf-8", "surrogatepass"))
        return PlayedStep(
            at_ms=self.now_ms, exit_code=self.exit_code, wake_ms=wake_ms, notes=notes, digest=digest.hexdigest(), took_ms=took_ms
        )

    def resume(self, now_ms: int) -> Iterator[PlayedStep]:
        """Resume the main process, and the exec session with it."""
        self.now_ms = now_ms
        yield self._main(lambda: behaviour.resume(self.process, self._host()))
        session = self.session
        if session is not None and self.exit_code is None:
            yield self._exec(lambda: behaviour.exec_resume(self.process, session, self._host()))

    def exec(self, argv: tuple[str, ...]) -> PlayedStep:
        """Start a session."""
        self.now_ms = EXEC_AT_MS
        return self._exec(lambda: behaviour.exec_start(self.process, argv, self._host()))


def _state(process: Process, now_ms: int) -> tuple[object, ...]:
    tree = tuple((row.pid, row.ppid, row.command, row.state) for row in behaviour.process_tree(process))
    files = tuple((path, entry) for path, entry in process.files.items())
    return tree, files, tuple(process.pipes.items()), behaviour.memory_bytes(process, now_ms)


def play(script: HostileScript, clock: Callable[[], float], *, turns_max: int = TURNS_MAX) -> Iterator[PlayedStep]:
    """Each turn of the container until it ends, waits forever, or has used SECONDS_MAX simulated seconds or ``turns_max`` turns."""
    container = _Container(script, clock)
    yield container.step
    turns = 1
    waiting = bool(script.exec)
    while container.exit_code is None and turns < turns_max:
        due = min((*container.wakes, *([EXEC_AT_MS] if waiting else [])), default=None)
        if due is None or due > SECONDS_MAX * 1000:
            return
        if waiting and due >= EXEC_AT_MS:
            waiting = False
            yield container.exec((script.shell, "-c", script.exec))
            turns += 1
            continue
        for step in container.resume(max(due, container.now_ms)):
            yield step
            turns += 1
