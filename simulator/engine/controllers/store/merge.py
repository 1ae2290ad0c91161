"""Two merges of documents: what ``kubectl apply`` makes of an object, and a change of a shown object put into the stored one."""

from typing import Any

from simulator.engine.api.patch import merge_key


def three_way(applied: Any, wanted: Any, current: Any) -> Any:
    """``current`` as applying ``wanted`` leaves it: what was applied before and is wanted no more goes, what others wrote stays.

    Source: apimachinery pkg/util/strategicpatch CreateThreeWayMergePatch. Lists with a merge key are merged item by item.
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
        return three_way(before, wanted, current if isinstance(current, dict) else {})
    by = merge_key(key, wanted) if isinstance(wanted, list) else ""
    if not by or not _is_keyed(wanted, by) or not _is_keyed(current, by):
        return wanted
    old = {item[by]: item for item in before or () if isinstance(item, dict) and by in item}
    new = {item[by]: item for item in wanted}
    kept = [item for item in current if item[by] in new or item[by] not in old]
    shown = [item[by] for item in kept]
    merged = [three_way(old.get(item[by]), new[item[by]], item) if item[by] in new else item for item in kept]
    return [*merged, *(item for item in wanted if item[by] not in shown)]


def _is_keyed(items: Any, by: str) -> bool:
    return isinstance(items, list) and all(isinstance(item, dict) and isinstance(item.get(by), str | int) for item in items)


def carried(stored: Any, shown: Any, changed: Any) -> Any:
    """``stored`` with the difference between the object as it was shown and as it was changed.

    A shown object has defaults and what admission adds; where the change leaves these alone, the stored one stays without them.
    """
    if changed == shown:
        return stored
    if isinstance(changed, dict) and isinstance(shown, dict) and isinstance(stored, dict):
        return _carried_fields(stored, shown, changed)
    if isinstance(changed, list) and isinstance(shown, list) and isinstance(stored, list):
        return _carried_items(stored, shown, changed)
    return changed


def _carried_fields(stored: dict[str, Any], shown: dict[str, Any], changed: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {key: value for key, value in stored.items() if key in changed or key not in shown}
    for key, value in changed.items():
        if key not in shown:
            found[key] = value
        elif value != shown[key]:
            found[key] = carried(stored[key], shown[key], value) if key in stored else value
    return found


def _carried_items(stored: list[Any], shown: list[Any], changed: list[Any]) -> list[Any]:
    """Items are told apart by their place; those that were added to the stored ones when the list was shown stay out."""
    found = []
    for n, item in enumerate(changed):
        if item in shown:
            place = shown.index(item)
            if place < len(stored):
                found.append(stored[place])
        elif n < len(stored) and n < len(shown):
            found.append(carried(stored[n], shown[n], item))
        else:
            found.append(item)
    return found
