"""The version lens: what is the same, what differs, and how."""

import pytest

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.kernel.errors import UnknownVersion
from simulator.headless import lens
from simulator.headless.lens import Lens, look
from tests.engine.worlds import container, header, pod, stamped

DELETE = stamped((10, DeletePod(target="default/p")))


def seen(*versions: str, script: str = "exec sleep 60", until_s: int = 60, **spec: object) -> Lens:
    return look(header(pod(container(script), **spec)), DELETE, versions, until_ms=until_s * 1000)


def rows(found: Lens, machine: str, target: str) -> list[lens.LensRow]:
    return [row for row in found.rows if (row.machine, row.target) == (machine, target)]


def test_lens_of_one_version_finds_no_difference() -> None:
    assert seen("1.30", "1.30").differences == ()


def test_lens_shows_a_phase_that_only_newer_versions_write() -> None:
    (failed,) = rows(seen("1.20", "1.30"), "phase", "Failed")
    assert failed.differs == "missing"
    assert failed.cells[0] is None and failed.cells[1] is not None


def test_lens_gives_the_command_to_every_version() -> None:
    (terminating,) = rows(seen("1.20", "1.27", "1.37"), "object", "terminating")
    assert [cell.at_ms if cell else None for cell in terminating.cells] == [10_000] * 3


def test_lens_counts_repeated_states_apart() -> None:
    found = seen("1.30", script="sleep 1; exit 1", until_s=9)
    assert [row.n for row in rows(found, "container_status", "running")] == [0, 1]


def test_lens_is_in_the_order_of_time() -> None:
    moments = [row.at_ms for row in seen("1.20", "1.37").rows]
    assert moments == sorted(moments)


def test_lens_refuses_an_unknown_version() -> None:
    with pytest.raises(UnknownVersion):
        seen("1.19")


def test_lens_is_cut_where_a_version_takes_too_many_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lens, "STRETCHES_MAX", 1)
    monkeypatch.setattr(lens, "STRETCH_EVENTS", 5)
    assert seen("1.30").is_cut


def test_switches_name_what_differs_between_versions_with_a_note() -> None:
    found = {item.field: item for item in lens.switches(("1.20", "1.27", "1.37"))}
    assert found["terminal_phase_on_delete"].values == ("no", "yes", "yes")
    assert all(item.note for item in found.values())
    assert all(len(set(item.values)) > 1 for item in found.values())
