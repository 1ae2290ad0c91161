"""Rules for paths inside a volume or a node's directory."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError, invalid


def backstep_errors(path: str, field: str) -> Iterator[FieldError]:
    """Reject a path with an upward step."""
    if ".." in path and ".." in path.split("/"):
        yield invalid(field, path, "must not contain '..'")


def descending_path_errors(path: str, field: str) -> Iterator[FieldError]:
    """Reject a path that is absolute or leads upwards."""
    if path.startswith("/"):
        yield invalid(field, path, "must be a relative path")
    yield from backstep_errors(path, field)


def local_path_errors(path: str, field: str) -> Iterator[FieldError]:
    """Reject a path that is absolute, leads upwards or begins like the names that the kubelet reserves."""
    yield from descending_path_errors(path, field)
    if path.startswith("..") and not path.startswith("../"):
        yield invalid(field, path, "must not start with '..'")
