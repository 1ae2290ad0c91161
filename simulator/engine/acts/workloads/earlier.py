"""The earlier template to which ``kubectl rollout undo`` returns: kept in a ReplicaSet for Deployments, else in a ControllerRevision.

Source: kubectl pkg/polymorphichelpers/rollback.go, history.go.
"""

from simulator.engine.controllers.deployment import history as of_deployment
from simulator.engine.controllers.deployment.replica_sets import set_revision
from simulator.engine.kernel.json_text import Json
from simulator.engine.workloads import history
from simulator.engine.workloads.objects import spec_of
from simulator.engine.world.world import ApiObject, Tables

UNDONE = ("Deployment", "DaemonSet", "StatefulSet")


def earlier(tables: Tables, row: ApiObject, revision: int) -> ApiObject | None:
    """The object that keeps the template of that revision; for 0 the second newest. None if there is none."""
    if row.kind == "Deployment":
        return of_deployment.revision_to_return_to(tables, row, revision)
    kept = history.kept_revisions(tables, row)
    if revision:
        return next((item for item in kept if history.number_of(item) == revision), None)
    # The newest revision kept is the current one.
    return kept[-2] if len(kept) > 1 else None


def earlier_number(to: ApiObject) -> int:
    """The revision that an object keeps."""
    return history.number_of(to) if to.kind == history.KIND else set_revision(to)


def no_earlier_text(row: ApiObject, revision: int) -> str:
    """kubectl's message if there is no such revision."""
    if revision:
        return f"unable to find specified revision {revision} in history"
    return f'no rollout history found for deployment "{row.name}"' if row.kind == "Deployment" else "no last revision to roll back to"


def has_returned(row: ApiObject, to: ApiObject) -> bool:
    """Whether the object already has that template: returning to it would change nothing."""
    return of_deployment.is_current_revision(row, to) if row.kind == "Deployment" else history.is_of_template(row, to)


def returned(whole: Json, to: ApiObject) -> Json:
    """The object with the earlier template; a Deployment also gets the annotations of that time."""
    if to.kind != history.KIND:
        return of_deployment.rolled_back(whole, to)
    return {**whole, "spec": {**whole["spec"], "template": history.restored_template(to)}}


def paused_text(row: ApiObject) -> str:
    """Why a paused Deployment cannot be rolled back; empty if it is not paused."""
    if row.kind != "Deployment" or not spec_of(row).get("paused"):
        return ""
    advice = f"'kubectl rollout resume deployment/{row.name}'"
    return f"you cannot rollback a paused deployment; resume it first with {advice} and try again"
