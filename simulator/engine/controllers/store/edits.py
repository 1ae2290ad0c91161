"""Changes of a document: what a PATCH, a PUT or an apply makes of the object that is shown.

Source: apiserver pkg/endpoints/handlers/patch.go and update.go; pkg/registry/rest/update.go BeforeUpdate.
"""

import json
from collections.abc import Callable
from typing import Any

from simulator.engine.api.answer import Answer, ApiError, bad_request
from simulator.engine.api.patch import BadPatch, json_patch, merge_patch, strategic_patch
from simulator.engine.api.validation.metadata_update import Target, before_update
from simulator.engine.controllers.store.merge import three_way
from simulator.engine.controllers.store.resources import info_of, missing
from simulator.engine.effects import Effects
from simulator.engine.profile.minors import minor_number
from simulator.engine.views.objects import object_document

Document = dict[str, Any]
Edit = Callable[[Document], Document]
"""Makes the wanted document of the shown one. Raises ApiError."""

_PATCHES = {"json": json_patch, "merge": merge_patch, "strategic": strategic_patch}


def minor_of_run(fx: Effects) -> int:
    """The number behind the dot of the run's Kubernetes version."""
    return minor_number(fx.profile.minor)


def by_patch(text: str, kind: str) -> Edit:
    """PATCH with JSON text; ``kind`` strategic, merge or json. Raises ApiError for a text that is no patch."""
    apply_patch = _PATCHES.get(kind)
    if apply_patch is None:
        raise bad_request(f'the patch type "{kind}" is not supported')
    try:
        body = json.loads(text)
    except ValueError:
        raise bad_request(f"Invalid {'JSON Patch' if kind == 'json' else 'patch'}") from None
    if not isinstance(body, list if kind == "json" else dict):
        raise bad_request(f"Invalid {'JSON Patch' if kind == 'json' else 'patch'}")

    def edit(shown: Document) -> Document:
        try:
            found: Document = apply_patch(shown, body)
        except BadPatch:
            message = "the server rejected our request due to an error in our request"
            raise ApiError(Answer(code=422, reason="Invalid", message=message)) from None
        return found

    return edit


def by_put(document: Document) -> Edit:
    """PUT of a whole document; its status is the status subresource's business."""
    return lambda shown: {**document, **({"status": shown["status"]} if "status" in shown else {})}


def by_apply(applied: str, wanted: Document) -> Edit:
    """``kubectl apply``: a three-way merge with what was applied last (JSON text, or empty)."""
    before = json.loads(applied) if applied else {}
    return lambda shown: three_way(before, _own(wanted), shown)


def _own(wanted: Document) -> Document:
    """What somebody applies, without the parts that are the API server's to say."""
    return {key: value for key, value in wanted.items() if key not in ("apiVersion", "kind", "status")}


def edited(fx: Effects, kind: str, names: tuple[str, str], edit: Edit, *, is_patch: bool) -> tuple[Document, Document]:
    """The object as it is shown and as the change wants it. Raises ApiError: 404, 400, 409, or what the edit raises."""
    namespace, name = names
    info = info_of(kind)
    try:
        shown = object_document(fx.world, kind, namespace, name)
    except KeyError:
        raise missing(kind, name) from None
    wanted = edit(json.loads(json.dumps(shown)))
    if not isinstance(wanted.get("metadata"), dict):
        raise bad_request("metadata: Required value")
    target = Target(resource=info.plural, name=name, namespace=namespace if info.namespaced else "", group=info.group)
    changed: Document = before_update(shown, wanted, target, is_patch=is_patch)
    return shown, changed
