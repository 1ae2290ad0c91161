import pytest

from tests.production.servers import REQUIRED, program


def test_developer_without_a_server_skips_and_is_told_how_to_get_it(monkeypatch):
    monkeypatch.delenv(REQUIRED, raising=False)
    with pytest.raises(pytest.skip.Exception, match="apt-get install --yes such-server"):
        program("no-such-server", "such-server")


def test_continuous_integration_without_a_server_fails(monkeypatch):
    monkeypatch.setenv(REQUIRED, "required")
    with pytest.raises(pytest.fail.Exception):
        program("no-such-server", "such-server")
