"""Version profiles: which versions exist, how gates change them, and what the version lens shows."""

import pytest

from simulator.engine.kernel.errors import UnknownVersion
from simulator.engine.versions import FIELDS, MINORS, BadGate, about, diff, gates_of, resolve, settings_of
from simulator.engine.versions.minors import NEWEST
from simulator.engine.versions.rows import GATES


def gate(minor, name):
    return next(state for state in gates_of(minor) if state.name == name)


def test_minors_reach_from_1_20_to_the_newest_without_a_gap():
    assert tuple(f"1.{number}" for number in range(20, NEWEST + 1)) == MINORS


@pytest.mark.parametrize("minor", MINORS)
def test_resolve_gives_a_profile_for_every_minor(minor):
    assert resolve(minor).minor == minor


@pytest.mark.parametrize("text", ["1.29", "v1.29", "1.29.0", "v1.29.14"])
def test_resolve_accepts_a_release_when_its_minor_is_known(text):
    assert resolve(text) is resolve("1.29")


@pytest.mark.parametrize("text", ["1.19", f"1.{NEWEST + 1}", "1.3", "2.0", "1", "", "1.30-rc", "1.30.x", " 1.30", "1.٣٠", "1.30\n"])
def test_resolve_raises_when_the_version_is_unknown(text):
    with pytest.raises(UnknownVersion):
        resolve(text)


def test_resolve_gives_the_same_object_when_gates_come_in_another_order():
    one = resolve("1.35", {"ContainerStopSignals": True, "MemoryQoS": True})
    assert one is resolve("1.35", {"MemoryQoS": True, "ContainerStopSignals": True})


def test_gate_setting_wins_over_the_default_of_the_minor():
    assert not resolve("1.28").sidecar_containers
    assert resolve("1.28", {"SidecarContainers": True}).sidecar_containers
    assert not resolve("1.29", {"SidecarContainers": False}).sidecar_containers


def test_gate_setting_changes_nothing_when_it_equals_the_default():
    assert diff(resolve("1.29"), resolve("1.29", {"SidecarContainers": True})) == ()


@pytest.mark.parametrize(("minor", "name"), [("1.35", "ExecProbeTimeout"), ("1.33", "SidecarContainers")])
def test_resolve_refuses_a_locked_gate_when_it_is_set_to_false(minor, name):
    with pytest.raises(BadGate, match=f"{name} is locked to true in Kubernetes {minor}") as caught:
        resolve(minor, {name: False})
    assert caught.value.gate == name


def test_resolve_takes_a_locked_gate_when_it_is_set_to_true():
    assert resolve("1.33", {"SidecarContainers": True}).sidecar_containers


def test_exec_probe_timeout_may_be_off_when_it_is_not_locked_yet():
    assert not resolve("1.34", {"ExecProbeTimeout": False}).exec_probe_timeout


def test_resolve_names_the_missing_gate_when_a_dependency_is_off():
    with pytest.raises(BadGate, match="RestartAllContainersOnContainerExits needs NodeDeclaredFeatures"):
        resolve("1.35", {"RestartAllContainersOnContainerExits": True})


def test_resolve_refuses_when_a_dependency_of_a_default_is_switched_off():
    with pytest.raises(BadGate, match="RestartAllContainersOnContainerExits needs ContainerRestartRules"):
        resolve("1.36", {"ContainerRestartRules": False})


def test_resolve_takes_a_gate_when_its_dependencies_are_on():
    settings = {"RestartAllContainersOnContainerExits": True, "NodeDeclaredFeatures": True}
    assert resolve("1.35", settings).restart_all_containers


def test_resolve_refuses_a_gate_when_it_is_unknown():
    with pytest.raises(BadGate, match="NoSuchGate"):
        resolve("1.30", {"NoSuchGate": False})


def test_resolve_refuses_a_gate_when_it_comes_with_a_later_minor():
    with pytest.raises(BadGate, match=r"does not exist in Kubernetes 1\.27, but in 1\.28 and later"):
        resolve("1.27", {"SidecarContainers": True})


def test_resolve_refuses_a_gate_when_it_was_removed():
    with pytest.raises(BadGate, match=r"in 1\.25 until before 1\.28"):
        resolve("1.28", {"PodHasNetworkCondition": True})


def test_has_gate_is_true_for_gates_that_are_on():
    profile = resolve("1.29")
    assert profile.has_gate("SidecarContainers")
    assert not profile.has_gate("ContainerRestartRules")


def test_gates_of_leaves_out_gates_that_the_minor_does_not_know():
    names = [state.name for state in gates_of("1.20")]
    assert "StartupProbe" in names
    assert "SidecarContainers" not in names


def test_gates_of_shows_stage_default_and_lock():
    state = gate("1.33", "SidecarContainers")
    assert (state.stage, state.default, state.on, state.locked) == ("locked", True, True, True)


def test_gates_of_shows_a_setting_next_to_the_default():
    state = gate(resolve("1.28", {"SidecarContainers": True}), "SidecarContainers")
    assert (state.default, state.on) == (False, True)


def test_diff_has_field_values_and_source():
    found = {each.field: each for each in diff(resolve("1.31"), resolve("1.32"))}
    change = found["node_monitor_grace_ms"]
    assert (change.a, change.b) == (40_000, 50_000)
    assert "126287" in change.source


def test_diff_is_empty_when_profiles_are_equal():
    assert diff(resolve("1.30"), resolve("1.30.1")) == ()


def test_diff_shows_a_gate_by_its_field():
    found = diff(resolve("1.34"), resolve("1.34", {"ContainerRestartRules": True}))
    assert [(each.field, each.a, each.b) for each in found] == [("container_restart_rules", False, True)]


@pytest.mark.parametrize("field", FIELDS)
def test_about_names_a_source_for_every_field(field):
    assert about(field).source
    assert about(field).note


def test_about_names_both_gates_when_two_switch_a_field():
    assert about("user_namespaces").gates == ("UserNamespacesStatelessPodsSupport", "UserNamespacesSupport")


def settable(name):
    """A minor in which the gate may be set, and the other gates that must follow it."""
    minor = next(each for each in MINORS if any(state.name == name and not state.locked for state in gates_of(each)))
    known = {state.name for state in gates_of(minor)}
    return minor, [other for other, row in GATES.items() if name in row.needs and other in known]


@pytest.mark.parametrize("name", sorted(name for name, row in GATES.items() if row.field and row.stages.get("1.20") != "locked"))
def test_gate_switches_its_field_when_it_is_set(name):
    minor, dependents = settable(name)
    on = resolve(minor, {**dict.fromkeys(GATES[name].needs, True), name: True})
    off = resolve(minor, {**dict.fromkeys(dependents, False), name: False})
    assert (getattr(on, GATES[name].field), getattr(off, GATES[name].field)) == (True, False)


def test_settings_of_reads_the_words_of_the_flag():
    assert settings_of("A=true, B=False,\nC=TRUE,") == {"A": True, "B": False, "C": True}


@pytest.mark.parametrize("text", ["A", "A=", "=true", "A=1", "A true"])
def test_settings_of_raises_when_a_part_is_not_a_setting(text):
    with pytest.raises(BadGate):
        settings_of(text)


def test_phase_rules_of_1_3_can_be_chosen_under_any_version():
    assert {resolve(minor, {"PodscopePhaseRules13": True}).phase_algorithm for minor in MINORS} == {"1.3"}


def test_phase_rules_of_1_3_are_chosen_by_no_version():
    assert "1.3" not in {resolve(minor).phase_algorithm for minor in MINORS}
