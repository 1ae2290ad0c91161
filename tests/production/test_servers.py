import pytest

from simulator.bench.faults.servers import program
from tests.production.servers import REQUIRED, where_installed


def test_developer_without_a_server_skips_and_is_told_how_to_get_it(monkeypatch):
    monkeypatch.delenv(REQUIRED, raising=False)
    with pytest.raises(pytest.skip.Exception, match="apt-get install --yes such-server"), where_installed():
        program("no-such-server", "such-server")


def test_continuous_integration_without_a_server_fails(monkeypatch):
    monkeypatch.setenv(REQUIRED, "required")
    with pytest.raises(pytest.fail.Exception), where_installed():
        program("no-such-server", "such-server")
