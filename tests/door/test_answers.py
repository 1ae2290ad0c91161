"""The API's answers to a request of each kind about each resource, as they were when real clients were last compared with them.

``golden/answers.txt`` has a line per request: its status and media type, and the length and digest of its body. A line that changes
names the request to look at; an intended change is written by ``make golden``.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from simulator.door.answering import answer, watched
from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.resources import Resource, served
from simulator.door.scene import DoorScene
from simulator.engine.apiserver.answer import ApiError
from simulator.engine.world.world import World
from tests.door.comparing import pass_time, session_of
from tests.door.serving import write
from tests.kubectl.test_lines import KINDS

TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
PARTIAL = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"
ONE_PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json"
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
PROTOBUF_V2 = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
BOOKMARKED = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
SPACE = "/namespaces/shop"
PATCHES = ("application/merge-patch+json", "application/strategic-merge-patch+json", "application/apply-patch+yaml")
QUERIES: tuple[dict[str, str], ...] = (
    {},
    {"limit": "1"},
    {"labelSelector": "app=web"},
    {"labelSelector": "app!=web,tier notin (a,b)"},
    {"fieldSelector": "metadata.name=plain"},
    {"resourceVersion": "1"},
    {"resourceVersion": "x"},
    {"resourceVersion": "99999999"},
    {"limit": "x"},
    {"labelSelector": "a=("},
    {"fieldSelector": "spec.nope=1"},
    {"continue": "x"},
)
PATHS = ("/", "/api", "/apis", "/version", "/healthz", "/readyz", "/livez", "/metrics", "/openapi/v3", "/nope", "/api/v2", "/apis/nope/v1")
WRITES: tuple[tuple[str, str, dict[str, Any] | str], ...] = (
    ("POST", "/pods", {"metadata": {"generateName": "x-"}, "spec": {"containers": [{"name": "a", "image": "busybox:1.28"}]}}),
    ("POST", "/pods", {"metadata": {"name": "plain"}, "spec": {"containers": [{"name": "a", "image": "busybox:1.28"}]}}),
    ("POST", "/pods", {"metadata": {"name": "X"}, "spec": {"containers": []}}),
    ("POST", "/pods", "{"),
    ("POST", "/pods", {"kind": "Service", "apiVersion": "v1"}),
    ("POST", "/pods/plain/eviction", {"metadata": {"name": "plain"}}),
    ("POST", "/pods/plain/binding", {"target": {"kind": "Node", "name": "node1"}}),
    ("POST", "/serviceaccounts/default/token", {"spec": {"expirationSeconds": 600}}),
    ("PUT", "/pods/plain", {"metadata": {"name": "plain"}, "spec": {"containers": [{"name": "a", "image": "busybox:1.28"}]}}),
    ("PUT", "/configmaps/settings", {"metadata": {"name": "settings"}, "data": {"a": "b"}}),
    ("PUT", "/configmaps/new", {"metadata": {"name": "new"}, "data": {"a": "b"}}),
    ("PUT", "/configmaps/new", {"metadata": {"name": "other"}}),
    ("PATCH", "/pods/plain", {"metadata": {"labels": {"a": "b", "app": None}}}),
    ("PATCH", "/pods/plain", {"spec": {"nodeName": "node2"}}),
    ("PATCH", "/pods/nope", {"metadata": {"labels": {"a": "b"}}}),
    ("PATCH", "/pods/plain/ephemeralcontainers", {"spec": {"ephemeralContainers": [{"name": "d", "image": "busybox:1.28"}]}}),
    ("DELETE", "/pods/plain", {"gracePeriodSeconds": 0}),
    ("DELETE", "/pods/plain", {"preconditions": {"uid": "x"}}),
    ("DELETE", "/pods/nope", {}),
    ("DELETE", "/configmaps", {}),
    ("DELETE", "/services", {}),
    ("DELETE", "/pods?labelSelector=app=web", {}),
    ("DELETE", "/pods?labelSelector=app!=web", {}),
    ("DELETE", "/pods?labelSelector=app in (web)", {}),
    ("DELETE", "/pods?labelSelector=app in (web,db)", {}),
    ("DELETE", "/pods?labelSelector=app notin (web)", {}),
    ("DELETE", "/pods?labelSelector=app", {}),
    ("PUT", "/replicationcontrollers/old/scale", {"metadata": {"name": "old"}, "spec": {"replicas": 3}}),
    ("PATCH", "/services/headless", {"spec": {"selector": {"a": "b"}}}),
    ("PATCH", "/services/headless/status", {"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}}),
    ("PATCH", "/nodes/node1", {"spec": {"unschedulable": True}}),
)
OF_CUSTOM: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("POST", "", {"metadata": {"name": "new"}, "spec": {"size": 1}}),
    ("POST", "", {"metadata": {"name": "new"}, "spec": {"size": 0, "kind": "odd", "more": 1}}),
    ("POST", "", {"metadata": {"name": "new"}}),
    ("PUT", "/corner", {"metadata": {"name": "corner"}, "spec": {"size": 9}}),
    ("PATCH", "/corner", {"spec": {"size": 5, "tags": ["c"]}}),
    ("PATCH", "/corner", {"spec": {"size": "many"}}),
    ("PATCH", "/corner/status", {"status": {"size": 2}}),
    ("PATCH", "/corner/scale", {"spec": {"replicas": 2}}),
    ("PUT", "/corner/scale", {"metadata": {"name": "corner"}, "spec": {"replicas": 2}}),
    ("DELETE", "/corner", {}),
)


def scene_of(world: World) -> DoorScene:
    return DoorScene(world=world, now_ms=world.now_ms, wall_ms=1_800_000_000_000, may_write=True)


def line_of(request: DoorRequest, reply: DoorReply) -> str:
    query = "&".join(f"{name}={value}" for name, value in request.query)
    asked = f"{request.method} {request.path}" + (f"?{query}" if query else "") + (f" as {request.accept[:70]}" if request.accept else "")
    digest = hashlib.sha256(reply.body).hexdigest()[:12]
    more = " ".join(f"{name}: {value[:80]}" for name, value in reply.headers if name == "Warning")
    return f"{asked}: {reply.status} {reply.content_type.partition(';')[0]} {len(reply.body)} {digest} {more}".rstrip()


def get(world: World, path: str, accept: str = "", **query: str) -> str:
    request = DoorRequest(path=path, query=tuple(query.items()), headers={"accept": accept, "user-agent": "python"})
    return line_of(request, answer(request, scene_of(world)))


def of_resource(world: World, resource: Resource) -> Iterator[str]:
    """Its list in each form, in a namespace and everywhere, one object of it, and one that does not exist."""
    base = f"/apis/{resource.group_version}" if resource.info.group else f"/api/{resource.group_version}"
    whole = f"{base}/{resource.info.plural}"
    path = f"{base}{SPACE if resource.info.namespaced else ''}/{resource.info.plural}"
    yield from (get(world, path, accept) for accept in ("", TABLE, PARTIAL, "application/yaml"))
    yield get(world, whole, TABLE)
    yield get(world, path, TABLE, includeObject="Object")
    items = json.loads(answer(DoorRequest(path=path, headers={"user-agent": "python"}), scene_of(world)).body).get("items") or ()
    for item in items[:1]:
        name = item["metadata"]["name"]
        yield from (get(world, f"{path}/{name}", accept) for accept in ("", TABLE, ONE_PARTIAL, "application/yaml"))
        yield from (get(world, f"{path}/{name}/{part.name}") for part in resource.subresources())
    yield get(world, f"{path}/nope")


def watches(world: World, path: str) -> Iterator[str]:
    """The first lines of a watch in each form."""
    for accept, query in (
        ("", {}),
        (TABLE, {}),
        (PARTIAL, {}),
        ("", {"labelSelector": "app=web"}),
        ("", {"sendInitialEvents": "true"}),
        ("", BOOKMARKED),
        (TABLE, BOOKMARKED),
    ):
        asked = {"watch": "true", **query}
        request = DoorRequest(path=path, query=tuple(asked.items()), headers={"accept": accept, "user-agent": "python"})
        try:
            found = watched(request, scene_of(world))
            body = b"" if found is None else found.begin(scene_of(world))[1]
            yield line_of(request, DoorReply(body=body))
        except ApiError as error:
            yield f"GET {path} {asked}: {error.answer.code} {error.answer.message}"


def reads(world: World) -> Iterator[str]:
    """Of the server, each resource, queries and watches."""
    yield from (get(world, path, accept) for path in PATHS for accept in ("", AGGREGATED))
    for resource in served(world):
        yield from of_resource(world, resource)
    yield from (get(world, f"/api/v1{SPACE}/pods", **query) for query in QUERIES)
    for path in (f"/api/v1{SPACE}/pods", "/api/v1/nodes", "/apis/apps/v1/deployments", f"/apis/example.com/v1{SPACE}/shops"):
        yield from watches(world, path)


def openapi(world: World) -> Iterator[str]:
    """Each OpenAPI document."""
    groups = [f"apis/{item.group_version}" if item.info.group else f"api/{item.group_version}" for item in served(world)]
    yield from (get(world, "/openapi/v2"), get(world, "/openapi/v2", PROTOBUF_V2))
    yield from (get(world, f"/openapi/v3/{group}") for group in dict.fromkeys(groups))


def changes(before: World, after: World) -> str:
    """Whether the world has changed, and how many of its pods are being deleted."""
    deleted = sum(row.deletion_ms is not None for row in after.tables.pods.values())
    return "unchanged" if after is before else f"changed, {deleted} deleted" if deleted else "changed"


def writes(world: World) -> Iterator[str]:
    """Each write in its media types: done, tried, and by a manager that validates strictly."""
    shops = f"/apis/example.com/v1{SPACE}/shops"
    core = [(method, f"/api/v1{'' if path.startswith('/nodes') else SPACE}{path}", body) for method, path, body in WRITES]
    for method, path, body in [*core, *((method, f"{shops}{path}", body) for method, path, body in OF_CUSTOM)]:
        text = body if isinstance(body, str) else json.dumps(body)
        for content_type in PATCHES if method == "PATCH" else ("application/json",):
            for query in ((), (("dryRun", "All"),), (("fieldManager", "me"), ("fieldValidation", "Strict"))):
                headers = {"content-type": content_type, "user-agent": "python"}
                plain, _, selector = path.partition("?")
                selected = (tuple(selector.split("=", 1)), *query) if selector else query
                request = DoorRequest(method=method, path=plain, query=selected, headers=headers, body=text.encode())
                reply, after = write(request, scene_of(world))
                yield f"{line_of(request, reply)} {content_type.rpartition('/')[2]} {changes(world, after)}"


def test_each_request_is_answered_as_before(golden: Callable[[Path, str], None]) -> None:
    lines: list[str] = []
    for version in ("1.20", "1.37"):
        session = session_of(version)
        for document in KINDS.split("---\n"):
            session.ask(f"kubectl apply -f - <<'EOF'\n{document}EOF")
        pass_time(session, 5_000)
        world = session.world
        lines += (f"== {version}", *reads(world), *openapi(world), *writes(world))
    golden(Path(__file__).parent / "golden" / "answers.txt", "\n".join(lines) + "\n")
