"""Sites of the bench on folders that are prepared already: preparing one takes 5 s of CPU, more than most of these tests need besides."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from simulator.bench import site
from simulator.bench.scale.machines import SiteMachine
from tests.prepared import prepared_site


@pytest.fixture(scope="package", autouse=True)
def _prepared_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """How ``serve --prepare`` fills an empty folder is tested in tests/site."""
    empty_folder, prepare = site.data_folder, SiteMachine.prepare

    @contextmanager
    def prepared_folder() -> Iterator[str]:
        with empty_folder() as folder:
            yield str(prepared_site(tmp_path_factory, Path(folder)))

    def prepare_quickly(machine: SiteMachine) -> None:
        prepared_site(tmp_path_factory, machine.folder)
        prepare(machine)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(site, "data_folder", prepared_folder)
        patched.setattr(SiteMachine, "prepare", prepare_quickly)
        yield
