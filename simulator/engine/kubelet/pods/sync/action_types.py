"""The inputs and results of ``compute_pod_actions``. Source: pkg/kubelet/kuberuntime/kuberuntime_manager.go podActions."""

from collections.abc import Mapping
from types import MappingProxyType

from msgspec import Struct

from simulator.engine.kubelet.pods.containers.runtime_records import RuntimeContainer
from simulator.engine.kubelet.pods.sandbox.sandbox_change import SandboxVerdict
from simulator.engine.model.pod import PodSpec

NO_RESULTS: Mapping[str, str] = MappingProxyType({})


class ActionRules(Struct, frozen=True, kw_only=True, gc=False):
    """What the version switches on.

    ``sidecars``: restartable init containers (1.28). ``restart_rules``: containers have their own restart policies
    (1.34). ``restart_all``: restart of all containers in place (1.35). ``running_app_means_initialized``: without
    sidecars, a running app container ends the init sequence (1.22). ``app_record_means_initialized``: with a dead
    sandbox, any app container ever created ends it (1.22). ``oom_fails_init``: an init container that is OOMKilled has
    failed whatever its exit code (1.23).
    """

    sidecars: bool = True
    restart_rules: bool = True
    restart_all: bool = True
    running_app_means_initialized: bool = True
    app_record_means_initialized: bool = True
    oom_fails_init: bool = True


NEWEST = ActionRules()


class KillAction(Struct, frozen=True, gc=False):
    """A container to kill. ``reason``: LivenessProbe, StartupProbe, Unknown or empty; ``restart``: it is restarted afterwards."""

    name: str
    container_id: str
    message: str
    reason: str
    restart: bool
    rule_id: str


class PodActions(Struct, frozen=True, kw_only=True):
    """The outcome. Names are in spec order; ``to_reset`` is the order of removal when all containers restart in place."""

    kill_pod: bool
    create_sandbox: bool
    sandbox_id: str
    sandbox_attempt: int
    init_to_start: tuple[str, ...] = ()
    to_start: tuple[str, ...] = ()
    ephemeral_to_start: tuple[str, ...] = ()
    to_kill: tuple[KillAction, ...] = ()
    to_reset: tuple[str, ...] = ()
    rule_id: str = ""

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.kill_pod or self.to_start or self.init_to_start or self.to_kill or self.ephemeral_to_start or self.to_reset)


class Sync(Struct, frozen=True, gc=False):
    """Everything a sync looks at; passed down as one value, so that each step takes only what it adds to."""

    spec: PodSpec
    records: Mapping[str, RuntimeContainer]
    liveness: Mapping[str, str] = NO_RESULTS
    startup: Mapping[str, str] = NO_RESULTS
    is_deleted: bool = False
    rules: ActionRules = NEWEST

    def record(self, name: str) -> RuntimeContainer | None:
        """The newest instance of a container, or None."""
        return self.records.get(name)

    def some_app_in(self, *states: str) -> bool:
        """Whether an app container's newest instance is in one of ``states``."""
        for container in self.spec.containers:
            record = self.records.get(container.name)
            if record is not None and record.state in states:
                return True
        return False


class ActionsDraft(Struct):
    """The actions while they are being collected. ``init`` holds positions, since a step may request its successor."""

    kill_pod: bool = False
    create_sandbox: bool = False
    rule_id: str = ""
    init: list[int] = []
    start: list[str] = []
    ephemeral: list[str] = []
    kill: list[KillAction] = []
    to_reset: tuple[str, ...] = ()

    def finish(self, spec: PodSpec, sandbox: SandboxVerdict) -> PodActions:
        """The finished actions; init containers come out in spec order."""
        return PodActions(
            kill_pod=self.kill_pod,
            create_sandbox=self.create_sandbox,
            sandbox_id=sandbox.id,
            sandbox_attempt=sandbox.attempt,
            init_to_start=tuple([spec.init_containers[position].name for position in sorted(self.init)]),
            to_start=tuple(self.start),
            ephemeral_to_start=tuple(self.ephemeral),
            to_kill=tuple(self.kill),
            to_reset=self.to_reset,
            rule_id=self.rule_id,
        )
