"""One round of the Deployment controller: the Deployment and its ReplicaSets, and the writes.

A ``Rollout`` reads everything once and keeps its copies up to date with its own writes, so later
parts of the round see what earlier ones did. A write that is refused raises ``Again``: the round is
abandoned where it is and repeated from the start, which is safe since every step is recomputed from
what is stored.

A name that is taken by a ReplicaSet of another template is a hash collision: status.collisionCount
goes into the hash, so the next round gets another name.

Source: pkg/controller/deployment/sync.go getNewReplicaSet.
"""

from simulator.engine.apiserver.answer import ApiError
from simulator.engine.apiserver.k8s_events import emit_of_controller
from simulator.engine.apiserver.refusal import Refusal
from simulator.engine.apiserver.store.creation import create_object_of
from simulator.engine.apiserver.store.objects import update_object
from simulator.engine.controllers.deployment.arithmetic import Bounds, bounds_of, grown
from simulator.engine.controllers.deployment.replica_sets import (
    DESIRED,
    KIND,
    MOST,
    REVISION,
    annotated,
    claimed_sets,
    find_new,
    is_owned,
    marked,
    new_set,
    replicas_of,
    set_revision,
    sized_as,
    sizes,
    total_requested,
    without_hash,
)
from simulator.engine.controllers.deployment.status import (
    CREATED,
    FOUND,
    NOT_MADE,
    PROGRESSING,
    condition,
    deadline_of,
    setting_condition,
)
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.workloads.hashing import template_hash
from simulator.engine.workloads.objects import (
    annotations_of,
    condition_in,
    now_text,
    parsed,
    put_status,
    spec_of,
    status_of,
    stored_object,
)
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import ApiObject

COMPONENT = "deployment-controller"

RULES = (
    RuleText(
        "DEPLOYMENT-NEW-REPLICASET",
        gettext_noop(
            "No ReplicaSet has this pod template, so the Deployment creates {name} as revision {revision}. It "
            "starts with {count} {count:pod|pods}: {wanted} {wanted:is|are} wanted, {most} allowed at once, and "
            "the others ask for {total}."
        ),
        "pkg/controller/deployment/sync.go getNewReplicaSet; util/deployment_util.go NewRSNewReplicas",
    ),
    RuleText(
        "DEPLOYMENT-COLLISION",
        gettext_noop("A ReplicaSet {name} with a different template already exists: the Deployment counts a collision and hashes again."),
        "pkg/controller/deployment/sync.go getNewReplicaSet",
    ),
    RuleText(
        "DEPLOYMENT-REPLICASET-REFUSED",
        gettext_noop("The API server rejects the new ReplicaSet {name}: the Deployment reports why and tries again later."),
        "pkg/controller/deployment/sync.go getNewReplicaSet",
    ),
    RuleText(
        "DEPLOYMENT-REVISION",
        gettext_noop(
            "The ReplicaSet {name} has the current pod template: it takes over the Deployment’s annotations and "
            "becomes revision {revision}, the newest."
        ),
        "pkg/controller/deployment/util/deployment_util.go SetNewReplicaSetAnnotations",
    ),
    RuleText(
        "DEPLOYMENT-PROGRESS",
        gettext_noop("The Deployment records that it has seen its ReplicaSet {name}, so that the duration of its rollout can be measured."),
        "pkg/controller/deployment/sync.go getNewReplicaSet",
    ),
)


class Again(Exception):
    """The round cannot be finished and must be retried."""


class Rollout:
    """What one round works with: the Deployment, its ReplicaSets (``new`` is that of the current template) and its bounds."""

    def __init__(self, fx: Effects, row: ApiObject) -> None:
        self.fx = fx
        self.row = row
        self.bounds: Bounds = bounds_of(spec_of(row))
        sets = claimed_sets(fx, row)
        self.new = find_new(row, sets)
        self.old = [item for item in sets if self.new is None or item.uid != self.new.uid]

    @property
    def all(self) -> list[ApiObject]:
        """Every ReplicaSet, the new one last."""
        return [*self.old, self.new] if self.new is not None else list(self.old)

    @property
    def spec(self) -> Json:
        """The Deployment's spec, read-only."""
        return spec_of(self.row)

    def note(self, name: str, rule: str, data: Data) -> int:
        """A note about the Deployment; returns its number."""
        return self.fx.note_step(self.row.subject, name, rule=rule, data=data)

    # ---- writes about the Deployment -------------------------------------------------------------------------------
    def put(self, status: Json, revision: str = "") -> None:
        """Store the Deployment's status, and its revision if one is given, in one write."""
        self.row = put_status(self.fx, self.row, status, annotations={REVISION: revision} if revision else None)

    def put_condition(self, status: str, reason: str, message: str, revision: str = "") -> None:
        """Store a new condition Progressing."""
        fresh = condition(PROGRESSING, status, reason, message, now_text(self.fx))
        self.put(setting_condition(status_of(self.row), fresh), revision)

    # ---- the new ReplicaSet ----------------------------------------------------------------------------------------
    def know_new(self) -> None:
        """Update the annotations of the new ReplicaSet, and what the Deployment says about it (getNewReplicaSet)."""
        row = self.new
        if row is None:
            return
        revision = max(map(set_revision, self.old), default=0) + 1
        annotations = marked(annotations_of(row), self.row, revision)
        ready_s = int(self.spec.get("minReadySeconds") or 0)
        if annotations != annotations_of(row) or ready_s != int(spec_of(row).get("minReadySeconds") or 0):
            self._mark(row, annotations, ready_s)
            return
        revision_text = annotations.get(REVISION, "")
        known = deadline_of(self.spec) is None or condition_in(status_of(self.row), PROGRESSING) is not None
        if known and annotations_of(self.row).get(REVISION) == revision_text:
            return
        with self.fx.because(self.note("replica-set", "DEPLOYMENT-PROGRESS", (("name", row.name),))):
            if known:
                self.put(status_of(self.row), revision_text)
            else:
                self.put_condition("True", FOUND, f'Found new replica set "{row.name}"', revision_text)

    def _mark(self, row: ApiObject, annotations: dict[str, str], ready_s: int) -> None:
        document = parsed(row)
        spec = {key: value for key, value in (document.get("spec") or {}).items() if key != "minReadySeconds"}
        if ready_s:
            spec["minReadySeconds"] = ready_s
        metadata = {**(document.get("metadata") or {}), "annotations": annotations}
        data = (("name", row.name), ("revision", annotations.get(REVISION, "")))
        with self.fx.because(self.note("revision", "DEPLOYMENT-REVISION", data)):
            self.new = update_object(self.fx, row, {**document, "metadata": metadata, "spec": spec})

    def make_new(self) -> None:
        """Create the ReplicaSet of the current template if there is none. Raises Again."""
        if self.new is not None:
            return
        revision = max(map(set_revision, self.old), default=0) + 1
        template = without_hash(self.spec.get("template") or {})
        hashed = template_hash(template, status_of(self.row).get("collisionCount"), self.fx.world.release.minor)
        size = grown(self.bounds, total_requested(self.old), 0)
        document = new_set(self.row, hashed, size, revision, self.bounds)
        name = document["metadata"]["name"]
        taken = stored_object(self.fx, KIND, self.row.namespace, name)
        if taken is not None:
            self._collide(taken)
            return
        data = (
            ("name", name), ("revision", revision), ("count", size), ("wanted", self.bounds.wanted), ("most", self.bounds.most),
            ("total", total_requested(self.old)),
        )  # fmt: skip
        with self.fx.because(self.note("replica-set", "DEPLOYMENT-NEW-REPLICASET", data)):
            self._create(document, size, str(revision))

    def _create(self, document: Json, size: int, revision: str) -> None:
        name = document["metadata"]["name"]
        try:
            with self.fx.aside():
                self.new = create_object_of(self.fx, document, self.row.namespace)
        except (ApiError, Refusal) as error:
            self._refused(name, error)
            raise Again from None
        if size:
            self.emit_scaled("up", name, 0, size, "DEPLOYMENT-NEW-REPLICASET")
        if deadline_of(self.spec) is not None:
            self.put_condition("True", CREATED, f'Created new replica set "{name}"', revision)
        else:
            self.put(status_of(self.row), revision)

    def _collide(self, taken: ApiObject) -> None:
        """Another object has the name. If it is this Deployment's with this template, use it; otherwise the hash must change."""
        if is_owned(self.row, taken):
            self.new = taken
            return
        status = status_of(self.row)
        with self.fx.because(self.note("collision", "DEPLOYMENT-COLLISION", (("name", taken.name),))):
            self.put({**status, "collisionCount": int(status.get("collisionCount") or 0) + 1})
        raise Again

    def _refused(self, name: str, error: ApiError | Refusal) -> None:
        if self.fx.world.is_terminating(self.row.namespace):
            return
        found = dict(error.data).get("message") if isinstance(error, Refusal) else error.answer.message
        message = f'Failed to create new replica set "{name}": {found or ""}'
        with self.fx.because(self.note("refused", "DEPLOYMENT-REPLICASET-REFUSED", (("name", name),))):
            if deadline_of(self.spec) is not None:
                self.put_condition("False", NOT_MADE, message)
            self.emit("Warning", NOT_MADE, message, "DEPLOYMENT-REPLICASET-REFUSED")

    # ---- scaling ---------------------------------------------------------------------------------------------------
    def scale(self, row: ApiObject, size: int, *, name: str, rule: str, data: Data) -> ApiObject:
        """Scale a ReplicaSet, with the rule and its numbers as the reason. Returns the ReplicaSet afterwards."""
        before = replicas_of(row)
        if before == size:
            return row
        details: Data = (("name", row.name), ("before", before), ("after", size), *data)
        with self.fx.because(self.note(name, rule, details)):
            after = sized_as(self.fx, row, size, self.bounds)
            self.emit_scaled("up" if size > before else "down", row.name, before, size, rule)
        self._replace(after)
        return after

    def annotate(self, row: ApiObject) -> None:
        """Update the annotations of a ReplicaSet whose size stays, for the Deployment's new size."""
        if {name: annotations_of(row).get(name) for name in (DESIRED, MOST)} != sizes(self.bounds):
            self._replace(sized_as(self.fx, row, replicas_of(row), self.bounds))

    def _replace(self, row: ApiObject) -> None:
        if self.new is not None and self.new.uid == row.uid:
            self.new = row
        self.old = [row if item.uid == row.uid else item for item in self.old]

    def emit_scaled(self, way: str, name: str, before: int, after: int, rule: str) -> None:
        """Write the Event ScalingReplicaSet, in the version's wording."""
        text = self.fx.profile.scaled_new_text if way == "up" and rule == "DEPLOYMENT-NEW-REPLICASET" else self.fx.profile.scaled_text
        self.emit("Normal", "ScalingReplicaSet", text.format(way=way, name=name, before=before, after=after), rule)

    def emit(self, severity: str, reason: str, message: str, rule: str) -> None:
        """Write an Event about the Deployment."""
        emit_of_controller(self.fx, self.row, COMPONENT, severity=severity, reason=reason, message=message, rule=rule)

    def is_scaled(self) -> bool:
        """Whether an active ReplicaSet was sized for a different number of pods than now requested (isScalingEvent)."""
        found = (annotated(row, DESIRED) for row in self.all if replicas_of(row))
        return any(desired is not None and desired != self.bounds.wanted for desired in found)
