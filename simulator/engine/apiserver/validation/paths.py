"""What a path inside a volume or a node's directory may look like."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, invalid


def backstep_errors(path: str, field: str) -> Iterator[FieldError]:
    """A path with a step upwards."""
    if ".." in path and ".." in path.split("/"):
        yield invalid(field, path, "must not contain '..'")


def descending_path_errors(path: str, field: str) -> Iterator[FieldError]:
    """A path that is absolute or leads upwards."""
    if path.startswith("/"):
        yield invalid(field, path, "must be a relative path")
    yield from backstep_errors(path, field)


def local_path_errors(path: str, field: str) -> Iterator[FieldError]:
    """A path that is absolute, leads upwards or begins like the names the kubelet keeps for itself."""
    yield from descending_path_errors(path, field)
    if path.startswith("..") and not path.startswith("../"):
        yield invalid(field, path, "must not start with '..'")
