"""``kubectl delete`` of an object of any kind, and the script verb that deletes anything.

The verb turns into one of several commands: pods, nodes and namespaces have their own, since pages
and records have specific wording for them, and a pod can be named by its role. A DELETE with
preconditions or a propagation policy is always the general command.

Scripts come from two sources. Hand-written ones mean kubectl, which sends a grace period of 0
as 1 unless it is forced. Those recorded from an API server's traffic mean what was sent
(``sent_to_api``).
"""

from collections.abc import Iterator

from simulator.engine.acts.act import Act, Either
from simulator.engine.acts.form import CHOICE, NAME, NAMESPACE, Form, FormField, Values, is_needed
from simulator.engine.acts.nodes.delete import DeleteNode
from simulator.engine.acts.objects.namespace import DeleteNamespace
from simulator.engine.acts.offer import Input, Offer, Offers, button, in_namespace, plain_choices
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.delete_all import DeletePods
from simulator.engine.acts.script import BadStep, StepReader, Verb
from simulator.engine.acts.step_names import NODE_KINDS, POD_KINDS, kind_named, names_of
from simulator.engine.apiserver.refusal import Doing
from simulator.engine.apiserver.store.deletes import Deletion, deleting
from simulator.engine.apiserver.store.pods import nothing
from simulator.engine.kernel.command import Command
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Subject
from simulator.engine.model.kinds import KINDS
from simulator.engine.projection.text import Text
from simulator.engine.world.effects import Effects
from simulator.engine.world.world import World, object_subject

_NAMESPACE_KINDS = ("namespace", "namespaces", "ns")
_CASCADES = {"background": "Background", "foreground": "Foreground", "orphan": "Orphan"}


class DeleteObject(Command, frozen=True, kw_only=True, tag="delete"):
    """DELETE an object with options. ``propagation``: Background, Foreground, Orphan or empty (the kind's default).

    ``uid`` and ``resource_version`` are preconditions if they are not empty. Without a ``name`` it means every object of the kind
    in the namespace that ``selector`` selects, as ``kubectl delete -l`` or ``--all``.
    """

    kind: str
    namespace: str = ""
    name: str = ""
    selector: str = ""
    grace_s: int | None = None
    propagation: str = ""
    uid: str = ""
    resource_version: str = ""
    dry_run: bool = False


def _delete(fx: Effects, command: DeleteObject) -> Doing:
    asked = Deletion(
        kind=command.kind,
        namespace=command.namespace,
        name=command.name,
        selector=command.selector,
        grace_s=command.grace_s,
        propagation=command.propagation,
        uid=command.uid,
        resource_version=command.resource_version,
    )
    act = deleting(fx, asked)
    return nothing if command.dry_run else act


def _subject(command: DeleteObject) -> Subject:
    return object_subject(command.kind, command.namespace, command.name)


def _make(values: Values) -> DeleteObject:
    where = {"kind": values["kind"], "namespace": values["namespace"], "name": values["name"]}
    return DeleteObject(**where, propagation=_CASCADES.get(values["propagation"], ""))


def _offer(world: World, kind: str, namespace: str, name: str) -> Iterator[Offer]:
    """Dependents are deleted too or stay, depending on the propagation policy."""
    resource = KINDS[kind].resource if kind in KINDS else kind.lower()
    where = in_namespace(namespace) if namespace else ""
    yield Offer(
        key=f"object-{kind}-{namespace}-{name}",
        place="object",
        given={"kind": kind, "namespace": namespace, "name": name},
        buttons=button(gettext_noop("Delete {kind}"), kind=kind),
        kubectl=f"kubectl delete {resource} {name}{where} --cascade={{propagation}}",
        inputs=(Input("propagation", Text(gettext_noop("Dependents")), "background", choices=plain_choices(_CASCADES)),),
        is_destructive=True,
    )


def _read(step: StepReader) -> Iterator[Command]:
    _check_options(step)
    kind = step.field("kind", str, "Pod")
    if kind.lower() in _NAMESPACE_KINDS:
        for name in names_of(step):
            yield DeleteNamespace(name=name)
        return
    if kind.lower() in NODE_KINDS:
        for name in names_of(step):
            yield DeleteNode(node=name)
        return
    # Pods have a command of their own, without preconditions and propagation.
    if kind.lower() not in POD_KINDS or step.field("preconditions", dict) or step.field("cascade", str):
        yield from _read_objects(step, kind)
        return
    grace_s, force = _grace(step)
    if step.field("all", bool, False) or step.field("collection", bool, False) or step.field("selector", (str, dict)) is not None:
        collection = step.field("collection", bool, False)
        selector = _selector(step)
        yield DeletePods(namespace=step.namespace, selector=selector, collection=collection, grace_s=grace_s, force=force)
        return
    for name in names_of(step):
        yield DeletePod(target=f"{step.namespace}/{name}", grace_s=grace_s, force=force)


def _read_objects(step: StepReader, word: str) -> Iterator[DeleteObject]:
    """Objects by name, with the other options of a DELETE."""
    kind = kind_named(step, word)
    # kubectl always sends a policy; the API alone would use the kind's default.
    cascade = step.field("cascade", str, "background")
    if cascade not in _CASCADES:
        raise BadStep(gettext_noop("cascade must be one of {known}"), "delete.cascade", known=", ".join(_CASCADES))
    asked = step.field("preconditions", dict, {})
    several = step.field("all", bool, False) or step.field("selector", (str, dict)) is not None
    for name in [""] if several else names_of(step):
        yield DeleteObject(
            kind=kind.kind,
            namespace=step.namespace if kind.namespaced else "",
            name=name,
            selector=",".join(f"{key}={text}" for key, text in _selector(step).items()),
            grace_s=_grace(step)[0],
            propagation=_CASCADES[cascade],
            uid=str(asked.get("uid") or ""),
            resource_version=str(asked.get("resourceVersion") or ""),
        )


def _check_options(step: StepReader) -> None:
    """Refuse what kubectl refuses before sending anything (pkg/cmd/delete Complete and Validate). Raises BadStep."""
    grace_s, words = step.field("gracePeriodSeconds", int), ""
    if step.field("now", bool, False) and grace_s is not None:
        words = "error: --now and --grace-period cannot be specified together"
    elif step.field("force", bool, False) and grace_s is not None and grace_s > 0:
        words = "error: --force and --grace-period greater than 0 cannot be specified together"
    if words:
        # Nothing is sent, so this is an error in the script and not a refusal in the run.
        raise BadStep(gettext_noop("kubectl refuses this: {words}"), "delete.gracePeriodSeconds", words=words)


def _grace(step: StepReader) -> tuple[int | None, bool]:
    """Grace period and force as the API server will see them: kubectl sends an unforced 0 as 1, and --now as 1."""
    force, grace_s = step.field("force", bool, False), step.field("gracePeriodSeconds", int)
    if grace_s == 0 and step.sent_to_api:
        force = True  # what --force --grace-period=0 sends to the API server
    elif grace_s == 0 or step.field("now", bool, False):
        grace_s = 1
    return (0 if force else grace_s), force


def _selector(step: StepReader) -> dict[str, str]:
    """Equality selectors, as ``a=b,c=d`` or as a map."""
    given = step.field("selector", (str, dict))
    if given is None:
        return {}
    if isinstance(given, str):
        parts = [part.replace("==", "=").partition("=") for part in given.split(",")]
        given = {key.strip(): value.strip() for key, equals, value in parts if equals}
        if len(given) != len(parts):
            raise BadStep(gettext_noop("a selector must have the form key=value, several joined by commas"), "delete.selector")
    return {str(key): str(value) for key, value in given.items()}


DELETE_OBJECT = Act(
    command=DeleteObject,
    handler=_delete,
    subject=_subject,
    sentence=Either("name", gettext_noop("Delete {kind} {name}"), gettext_noop("Delete objects of kind {kind}")),
    headline=Either("name", gettext_noop("You deleted {kind} {name}"), gettext_noop("You deleted objects of kind {kind}")),
    omitted_if_empty=("selector", "propagation", "uid", "resource_version", "dry_run"),
    icon="trash",
    form=Form(
        (
            FormField("kind", limit=63, is_needed=True),
            NAMESPACE,
            is_needed(NAME),
            FormField("propagation", CHOICE, choices=tuple(_CASCADES)),
        ),
        _make,
    ),
    offers=Offers(object=_offer),
    verbs=(
        Verb(
            "delete",
            "deletes pods, a namespace with everything in it, or objects of another kind",
            _read,
            needs=(("names", "first", "all", "selector", "collection"),),
            may=(
                "kind",
                "gracePeriodSeconds",
                "force",
                "now",
                "cascade background, foreground or orphan",
                "preconditions with uid or resourceVersion",
            ),
        ),
    ),
)
