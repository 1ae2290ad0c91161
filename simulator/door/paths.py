"""What an API path names: a document about the server, a list of objects, an object or one of its subresources."""

from msgspec import Struct

_OF_NAMESPACES = ("status", "finalize")


class ApiPath(Struct, frozen=True, kw_only=True):
    """A path below a group version. ``name`` is empty for a list, ``plural`` for the list of resources."""

    group: str = ""
    version: str = ""
    namespace: str = ""
    plural: str = ""
    name: str = ""
    subresource: str = ""


def parse_path(path: str) -> tuple[str, ApiPath | None]:
    """The first part of a path (``api``, ``version`` …), and what it names below ``/api`` or ``/apis``.

    A trailing slash is ignored.
    """
    first, *rest = (part for part in path.strip("/").split("/")) if path.strip("/") else [""]
    if first == "api":
        return first, _below("", rest)
    if first == "apis":
        return first, _below(rest[0], rest[1:]) if rest else ApiPath()
    return path.strip("/"), None


def _below(group: str, parts: list[str]) -> ApiPath:
    version, *rest = parts or [""]
    if len(rest) >= 3 and rest[0] == "namespaces" and rest[2] not in _OF_NAMESPACES:
        namespace, rest = rest[1], rest[2:]
    else:
        namespace = ""
    plural, name, subresource, *more = [*rest, "", "", ""]
    # A path longer than any API path names nothing.
    return ApiPath(
        group=group, version=version, namespace=namespace, plural=plural, name=name, subresource="/".join([subresource, *more]).strip("/")
    )
