"""A container run by hand: its turns, its clock, its volumes."""

from collections.abc import Mapping

from simulator.engine import containers as behaviour
from simulator.engine.containers import ExecTurn, Files, Host, Launch, LogLine, Mount, Turn
from simulator.engine.containers.files.etc import Naming
from simulator.engine.containers.network_access import NO_NETWORK, Network


class Box:
    """One container instance. ``at`` advances its clock, resuming it whenever it asks to be."""

    def __init__(self, launch: Launch, volumes: Mapping[str, Files] | None = None, lookup: Network = NO_NETWORK) -> None:
        self.volumes = dict(volumes or {})
        self.lookup = lookup
        self.now_ms = 0
        self.exit_ms: int | None = None
        self.log: list[LogLine] = []
        self.notes: list[str] = []
        self.turns = 0
        self._take(behaviour.start(launch, self.host()))

    def host(self) -> Host:
        return Host(self.now_ms, volumes=self.volumes, lookup=self.lookup)

    def _take(self, turn: Turn) -> None:
        self.turns += 1
        self.process, self.wake_ms, self.exit_code = turn.process, turn.wake_ms, turn.exit_code
        self.oom, self.waits_for_files, self.start_error = turn.oom, turn.waits_for_files, turn.start_error
        self._keep(turn)

    def _keep(self, turn: Turn | ExecTurn) -> None:
        self.volumes.update(turn.volumes)
        self.log += turn.log
        self.notes += [note.name for note in turn.notes]
        if self.exit_code is not None and self.exit_ms is None:
            self.exit_ms = self.now_ms

    def at(self, now_ms: int) -> "Box":
        while self.exit_code is None and self.wake_ms is not None and self.wake_ms <= now_ms:
            self.now_ms = max(self.wake_ms, self.now_ms)
            self._take(behaviour.resume(self.process, self.host()))
        self.now_ms = now_ms
        return self

    def resume(self) -> "Box":
        self._take(behaviour.resume(self.process, self.host()))
        return self

    def signal(self, number: int = 15) -> "Box":
        self._take(behaviour.signal(self.process, number, self.host()))
        return self

    def exec(self, *argv: str) -> ExecTurn:
        turn = behaviour.exec_start(self.process, argv, self.host())
        return self.took(turn)

    def took(self, turn: ExecTurn) -> ExecTurn:
        self.process, self.wake_ms, self.exit_code = turn.process, turn.main_wake_ms, turn.main_exit
        self._keep(turn)
        return turn

    def get(self, path: str = "/", port: int = 80) -> behaviour.HttpAnswer:
        return behaviour.http_get(self.process, port=port, path=path, host=self.host())

    @property
    def stdout(self) -> list[str]:
        return [line.text for line in self.log if line.stream == "stdout"]

    @property
    def stderr(self) -> list[str]:
        return [line.text for line in self.log if line.stream == "stderr"]

    def file(self, path: str) -> str | None:
        entry = self.process.files.get(path)
        return None if entry is None else entry.text


def run(script: str, image: str = "busybox:1.28", **fields: object) -> Box:
    """A container that runs a script with sh."""
    return Box(Launch(image, command=("sh", "-c", script), naming=Naming(hostname="p"), **fields))


def program(*argv: str, image: str = "busybox:1.28", **fields: object) -> Box:
    """A container that runs a program straight from its command."""
    return Box(Launch(image, command=argv, naming=Naming(hostname="p"), **fields))


def mounted(script: str, volumes: Mapping[str, Files], image: str = "busybox:1.28", *, read_only: bool = False) -> Box:
    """A container that runs a script and has each volume at /v/<name>."""
    mounts = tuple(Mount(f"/v/{name}", name, read_only=read_only) for name in volumes)
    return Box(Launch(image, command=("sh", "-c", script), mounts=mounts), volumes)
