"""Which patch release each minor stands for: the last one, or an exception with its reason."""

import pytest

from simulator.engine.versions import MINORS
from simulator.engine.versions.patches import PATCHES, parse_patches, patch_of
from simulator.engine.versions.rows import GATES, ROWS

GOOD = 'source = "s"\nas_of = "2026-01-01"\nsupported_since = "1.37"\n[last]\n' + "".join(f'"{minor}" = "{minor}.9"\n' for minor in MINORS)


def test_every_minor_stands_for_a_patch_of_its_own() -> None:
    assert [minor for minor in MINORS if not patch_of(minor).startswith(f"{minor}.")] == []


@pytest.mark.parametrize(("minor", "patch"), [("1.22", "1.22.17"), ("1.29", "1.29.15"), ("1.30", "1.30.14"), ("1.35", "1.35.9")])
def test_minor_stands_for_its_last_patch(minor: str, patch: str) -> None:
    assert patch_of(minor) == patch


def test_recorded_cluster_is_an_exception_with_its_reason() -> None:
    (found,) = (each for each in PATCHES.exceptions if each.patch)
    assert (patch_of("1.20"), found.minors, "recorded" in found.reason, bool(found.source)) == ("1.20.2", "1.20", True, True)


def test_gate_that_departs_from_its_default_is_an_exception() -> None:
    (found,) = (each for each in PATCHES.exceptions if "EphemeralContainers" in each.reason)
    assert (found.minors, GATES["EphemeralContainers"].stages["1.20"]) == ("1.20 – 1.22", "on")


def test_other_minors_have_no_exception_of_their_patch() -> None:
    assert {minor for minor in MINORS if patch_of(minor) != PATCHES.last[minor]} == {"1.20"}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (GOOD.replace('"1.30" = "1.30.9"\n', ""), "1.30"),
        (GOOD.replace('"1.30.9"', '"1.29.9"'), "1.30"),
        (GOOD.replace('"1.30.9"', '"1.30"'), "1.30"),
        (GOOD.replace('source = "s"', 'source = ""'), "source"),
        (GOOD + '[[exceptions]]\nsince = "1.30"\nuntil = "1.30"\nreason = ""\nsource = "s"\n', "reason"),
        (GOOD + '[[exceptions]]\nsince = "1.30"\nuntil = "1.31"\npatch = "1.30.1"\nreason = "r"\nsource = "s"\n', "1.30.1"),
    ],
)
def test_table_with_a_gap_or_without_a_reason_is_refused(text: str, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        parse_patches(text)


def test_fix_that_was_picked_into_a_branch_names_the_pull_request_of_the_branch() -> None:
    """The policy in the data: a fix that applies to an earlier minor names the pull request of the cherry-pick."""
    picked = {
        "daemon_set_counts_old_unavailable": "127776",
        "daemon_set_deletes_succeeded": "117496",
        "sidecar_start_counts_as_success": "137885",
        "stateful_set_recreates_at_once": "124565",
        "stateful_set_replaces_succeeded": "121921",
    }
    assert [field for field, number in picked.items() if number not in ROWS[field].source] == []
