"""How ``kubectl apply`` changes an object: a merge of what was applied, what is wanted and what exists.

Apply changes only the fields its user manages. A field that the last applied manifest had and the
new one lacks is removed; a field that neither has is left alone, no matter who wrote it (defaults,
an autoscaler's replicas); a field of the new manifest is set. Lists with a merge key are merged
item by item with the same three views; other lists are replaced.

kubectl computes this as a strategic merge patch on the client and sends it; here the result is
computed directly. ``retainKeys`` fields (volumes, a Deployment's strategy) are special: if they
change at all, parts that the manifest does not name go, because a volume cannot have two sources.
"""

from typing import Any

from simulator.engine.apiserver.patch.patch import EXCLUSIVE, SETS, beyond, in_order, merge_key


def three_way(applied: Any, wanted: Any, current: Any) -> Any:
    """``current`` after applying ``wanted``: what was applied before and is no longer wanted is removed, other fields stay.

    Source: apimachinery pkg/util/strategicpatch CreateThreeWayMergePatch. Lists with a merge key are merged item by item, in order.
    """
    if not isinstance(wanted, dict) or not isinstance(current, dict):
        return wanted
    before = applied if isinstance(applied, dict) else {}
    merged = {key: value for key, value in current.items() if key in wanted or key not in before}
    for key, value in wanted.items():
        merged[key] = _three_way_field(key, before.get(key), value, current.get(key))
    return merged


def _three_way_field(key: str, before: Any, wanted: Any, current: Any) -> Any:
    if isinstance(wanted, dict):
        return _one(key, before, wanted, current if isinstance(current, dict) else {})
    if not isinstance(wanted, list) or not isinstance(current, list):
        return wanted
    if key in SETS:
        kept = beyond(current, beyond(before or (), wanted))
        return [*kept, *beyond(wanted, kept)]
    by = merge_key(key, wanted)
    return _three_way_list(key, by, before, wanted, current) if by and _is_keyed(wanted, by) and _is_keyed(current, by) else wanted


def _three_way_list(key: str, by: str, before: Any, wanted: list[Any], current: list[Any]) -> list[Any]:
    old = {item[by]: item for item in before or () if isinstance(item, dict) and by in item}
    new, held = {item[by]: item for item in wanted}, {item[by]: item for item in current}
    if len(new) < len(wanted) or len(held) < len(current):  # ports of two protocols share a number
        pairs = zip(wanted, current, strict=False)
        return wanted if len(wanted) != len(current) else [three_way(None, item, shown) for item, shown in pairs]
    kept = [item for item in current if item[by] in new or item[by] not in old]
    merged = [_one(key, old.get(item[by]), new[item[by]], item) if item[by] in new else item for item in kept]
    return in_order([*merged, *(item for item in wanted if item[by] not in held)], wanted, current, by)


def _one(key: str, before: Any, wanted: dict[str, Any], current: dict[str, Any]) -> Any:
    """An object under that field; in volumes and strategies that change at all, only the wanted parts stay."""
    merged = three_way(before, wanted, current)
    if key not in EXCLUSIVE or merged == current:
        return merged
    return {name: value for name, value in merged.items() if name in wanted}


def _is_keyed(items: list[Any], by: str) -> bool:
    return all(isinstance(item, dict) and isinstance(item.get(by), str | int) for item in items)
