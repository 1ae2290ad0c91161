"""How ``kubectl apply`` merges lists and alternatives."""

from typing import Any

from simulator.engine.apiserver.store.merge import three_way


def applied(field: str, wanted: Any, current: Any, before: Any = None) -> Any:
    """The field after an apply."""
    return three_way({field: before} if before is not None else {}, {field: wanted}, {field: current})[field]


def test_wanted_order_of_a_list_holds_and_others_keep_their_place() -> None:
    found = applied("env", [{"name": "b"}, {"name": "a"}], [{"name": "a"}, {"name": "theirs"}, {"name": "b"}])
    assert [item["name"] for item in found] == ["theirs", "b", "a"]


def test_other_source_takes_the_place_of_a_volumes_source() -> None:
    found = applied("volumes", [{"name": "v", "configMap": {"name": "c"}}], [{"name": "v", "emptyDir": {}}], [{"name": "v"}])
    assert found == [{"name": "v", "configMap": {"name": "c"}}]


def test_recreate_drops_the_settings_of_a_rolling_update() -> None:
    assert applied("strategy", {"type": "Recreate"}, {"type": "RollingUpdate", "rollingUpdate": {}}) == {"type": "Recreate"}


def test_what_was_defaulted_stays_where_nothing_changes() -> None:
    assert applied("volumes", [{"name": "v"}], [{"name": "v", "emptyDir": {}}]) == [{"name": "v", "emptyDir": {}}]


def test_ports_that_share_a_number_are_unchanged_by_the_same_apply() -> None:
    ports = [{"containerPort": 53, "protocol": "TCP"}, {"containerPort": 53, "protocol": "UDP"}]
    assert applied("ports", ports, ports, ports) == ports


def test_finalizers_of_others_stay_and_own_ones_go() -> None:
    assert applied("finalizers", ["new"], ["old", "theirs"], ["old"]) == ["theirs", "new"]
