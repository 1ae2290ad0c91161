"""Variables whose value is in a file that an init container wrote."""

from typing import Any

import pytest

from simulator.engine import Record, World
from simulator.engine.kubelet.pods.start.env_file import BadEnvFile, value_in
from tests.engine.worlds import container, header, pod, run

ON = {"EnvFiles": True}


def taking(text: str, *, key: str = "K", path: str = "config.env", kubernetes: str = "1.35", **ref: Any) -> tuple[World, list[Record]]:
    """A pod whose init container writes the text and whose container prints the variable."""
    write = container(f"cat > /data/config.env <<'END'\n{text}\nEND", name="setup", volumeMounts=[{"name": "config", "mountPath": "/data"}])
    reference = {"volumeName": "config", "path": path, "key": key, **ref}
    use = container("echo value=$V; env | grep -c ^V=", env=[{"name": "V", "valueFrom": {"fileKeyRef": reference}}])
    document = pod(use, initContainers=[write], volumes=[{"name": "config", "emptyDir": {}}], restartPolicy="Never")
    return run(header(document, kubernetes=kubernetes, gates=ON if kubernetes == "1.34" else {}), 10)


def printed(world: World) -> list[str]:
    return [line[3] for line in world.tables.logs.get(("default/p", "app"), ())]


def waits(world: World) -> tuple[str, str]:
    state: Any = world.tables.pods["default/p"].status.containers[0].state
    return state.reason, state.message


@pytest.mark.parametrize(("kubernetes", "text"), [("1.34", "K=address"), ("1.35", "K='address'")])
def test_value_comes_from_the_file(kubernetes: str, text: str) -> None:
    assert printed(taking(text, kubernetes=kubernetes)[0]) == ["value=address", "1"]


@pytest.mark.parametrize("ref", [{}, {"optional": False}])
def test_missing_key_stops_the_container(ref: dict[str, Any]) -> None:
    world, records = taking("OTHER='x'", **ref)
    message = 'environment variable key "K" not found in file "config.env"'
    assert waits(world) == ("CreateContainerConfigError", message)
    assert f"Error: {message}" in {record.get("message") for record in records if record.machine == "k8s_event"}


@pytest.mark.parametrize(("key", "path"), [("MISSING", "config.env"), ("K", "other.env")])
def test_optional_key_or_file_that_is_missing_is_left_out(key: str, path: str) -> None:
    assert printed(taking("K='x'", key=key, path=path, optional=True)[0]) == ["value=", "0"]


@pytest.mark.parametrize(("text", "path"), [("K='x'", "other.env"), ("no variable", "config.env")])
def test_file_that_cannot_be_read_stops_the_container(text: str, path: str) -> None:
    assert waits(taking(text, path=path)[0]) == ("CreateContainerConfigError", "couldn't parse env file")


def test_value_that_is_too_long_stops_the_container() -> None:
    assert waits(taking(f"K='{'x' * 32_769}'")[0])[1] == 'environment variable value for key "K" exceeds maximum size of 32KB'


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("K=v", "v"), ("  K = v  ", "v"), ("# c\n\nK=a=b", "a=b"), ("K='v'", "'v'"), ("K=a \\\n  b \\\nc\nL=d", "a b c"), ("L=d", ""),
        ("K=1\nK=2", "1"), ("K=v # no comment", "v # no comment"),
    ],
)  # fmt: skip
def test_plain_file(text: str, value: str) -> None:
    assert value_in(text, "K", quoted=False) == value


@pytest.mark.parametrize("text", ["K", "=v", "K=a \\\n\nb", "K=a \\\n# c", "K=a \\"])
def test_plain_file_that_is_none(text: str) -> None:
    with pytest.raises(BadEnvFile):
        value_in(text, "K", quoted=False)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("K='v'", "v"), ("  K = 'a b'  # c", "a b"), ("# c\n\nL='x'\nK='a\nb'\n", "a\nb"), ("K='\"$X\" # \\n'", '"$X" # \\n'),
        ("L='x'", ""),
        ("", ""), ("K=''", ""),
    ],
)  # fmt: skip
def test_quoted_file(text: str, value: str) -> None:
    assert value_in(text, "K", quoted=True) == value


@pytest.mark.parametrize("text", ["K=v", "K='v", "K='v' w", "='v'", 'K="v"', "K"])
def test_quoted_file_that_is_none(text: str) -> None:
    with pytest.raises(BadEnvFile):
        value_in(text, "K", quoted=True)
