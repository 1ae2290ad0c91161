"""fieldValidation: unknown and duplicate fields are refused, warned about or ignored."""

import json

import pytest

from simulator.door.answering import answer
from simulator.door.exchange import DoorReply, DoorRequest
from simulator.door.scene import DoorScene
from simulator.door.validation import warning_value, with_warnings
from simulator.engine import RunHeader, advance, new_world
from simulator.engine.apiserver.wire.decoding import STRICT_MAX
from simulator.engine.world.world import World
from tests.door.serving import write
from tests.door.test_writing import DEPLOY, DEPLOYS, MERGE, PODS, STRATEGIC
from tests.factories import pod_json

MAPS = "/api/v1/namespaces/default/configmaps"
TYPO = '{"metadata":{"name":"m"},"dta":{"a":"b"}}'


@pytest.fixture(scope="module", params=["1.30"])
def world(request: pytest.FixtureRequest) -> World:
    return made(request.param)


def made(kubernetes: str) -> World:
    world = new_world(RunHeader(kubernetes=kubernetes, manifests=(pod_json("a"), json.dumps(DEPLOY))))
    advance(world, until_ms=30_000)
    return world


def send(
    world: World, method: str, path: str, text: str, how: str = "", *, content_type: str = "application/json"
) -> tuple[DoorReply, list[str]]:
    """The answer, and its warnings."""
    query = (("fieldValidation", how),) if how else ()
    asked = DoorRequest(method=method, path=path, query=query, headers={"content-type": content_type}, body=text.encode())
    reply, _ = write(asked, DoorScene(world=world, now_ms=30_000, wall_ms=1_800_000_000_000, may_write=True))
    return reply, [value for name, value in reply.headers if name == "Warning"]


def message(reply: DoorReply) -> str:
    return str(json.loads(reply.body)["message"])


def test_strict_refuses_an_unknown_field_in_the_servers_words(world: World) -> None:
    reply, _ = send(world, "POST", MAPS, TYPO, "Strict")
    assert (reply.status, message(reply)) == (
        400,
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dta"',
    )


@pytest.mark.parametrize("how", ["", "Warn"])
def test_without_a_word_and_at_warn_the_object_is_made_and_the_field_named(world: World, how: str) -> None:
    reply, warnings = send(world, "POST", MAPS, TYPO, how)
    assert (reply.status, warnings) == (201, ['299 - "unknown field \\"dta\\""'])
    assert "dta" not in json.loads(reply.body)


def test_ignore_keeps_silent(world: World) -> None:
    reply, warnings = send(world, "POST", MAPS, TYPO, "Ignore")
    assert (reply.status, warnings) == (201, [])


def test_before_1_25_nothing_is_looked_at() -> None:
    reply, warnings = send(made("1.24"), "POST", MAPS, TYPO, "Strict")
    assert (reply.status, warnings) == (201, [])


def test_another_directive_is_invalid(world: World) -> None:
    reply, _ = send(world, "POST", MAPS, TYPO, "Maybe")
    assert (reply.status, message(reply)) == (
        422,
        'CreateOptions.meta.k8s.io "" is invalid: '
        'fieldValidation: Unsupported value: "Maybe": supported values: "", "Ignore", "Strict", "Warn"',
    )


def test_places_within_lists_and_repeated_fields_are_named(world: World) -> None:
    pod = '{"metadata":{"name":"p","labels":{"a":"b","a":"c"}},"spec":{"containers":[{"name":"a","image":"b","imgae":"c","name":"d"}]}}'
    reply, _ = send(world, "POST", PODS, pod, "Strict")
    named = 'duplicate field "metadata.labels.a", unknown field "spec.containers[0].imgae", duplicate field "spec.containers[0].name"'
    assert message(reply).endswith(f"strict decoding error: {named}")


def test_a_value_of_a_wrong_type_comes_first(world: World) -> None:
    reply, _ = send(world, "POST", MAPS, '{"metadata":{"name":"m"},"data":1,"dta":{}}', "Strict")
    assert "cannot unmarshal number" in message(reply) and "dta" not in message(reply)


def test_a_put_is_judged_like_a_create(world: World) -> None:
    reply, _ = send(world, "PUT", f"{DEPLOYS}/d", json.dumps({**DEPLOY, "sepc": {}}), "Strict")
    assert (reply.status, message(reply).endswith('unknown field "sepc"')) == (400, True)


def test_a_strategic_patch_is_refused_with_the_patch_as_go_prints_it(world: World) -> None:
    reply, _ = send(world, "PATCH", f"{DEPLOYS}/d", '{"spec":{"replica":3}}', "Strict", content_type=STRATEGIC)
    assert (reply.status, message(reply)) == (
        422,
        ' "" is invalid: patch: Invalid value: "map[spec:map[replica:3]]": strict decoding error: unknown field "spec.replica"',
    )


def test_a_merge_patch_is_refused_with_the_object_that_it_makes(world: World) -> None:
    reply, _ = send(world, "PATCH", f"{DEPLOYS}/d", '{"spec":{"replica":3}}', "Strict", content_type=MERGE)
    assert reply.status == 422 and '\\"replica\\":3' in message(reply) and message(reply).endswith('unknown field "spec.replica"')


def test_a_patch_is_carried_out_with_a_warning(world: World) -> None:
    reply, warnings = send(world, "PATCH", f"{DEPLOYS}/d", '{"spec":{"replicas":3,"replica":3}}', content_type=STRATEGIC)
    assert (reply.status, json.loads(reply.body)["spec"]["replicas"]) == (200, 3)
    assert warnings == ['299 - "unknown field \\"spec.replica\\""']


def test_a_kind_in_an_older_version_has_no_unknown_fields_of_its_own(world: World) -> None:
    path = "/apis/autoscaling/v{}/namespaces/default/horizontalpodautoscalers"
    spec = {"scaleTargetRef": {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}, "maxReplicas": 3}
    asked = DoorRequest(method="POST", path=path.format(2), body=json.dumps({"metadata": {"name": "h"}, "spec": spec}).encode())
    _, after = write(asked, DoorScene(world=world, now_ms=30_000, wall_ms=0, may_write=True))
    patch = '{"metadata":{"labels":{"a":"b"}}}'
    reply, warnings = send(after, "PATCH", f"{path.format(1)}/h", patch, "Strict", content_type=MERGE)
    assert (reply.status, warnings) == (200, [])


def test_so_many_problems_are_named(world: World) -> None:
    text = json.dumps({"metadata": {"name": "m"}, **{f"x{number}": 1 for number in range(5_000)}})
    assert len(send(world, "POST", MAPS, text)[1]) == STRICT_MAX


def test_what_is_missing_is_not_found_whatever_the_patch_says(world: World) -> None:
    assert send(world, "PATCH", f"{DEPLOYS}/none", '{"x":1}', "Strict", content_type=STRATEGIC)[0].status == 404


def test_warnings_hold_no_lines_of_their_own_and_are_cut() -> None:
    assert warning_value("a\r\nSet-Cookie: b") == "" and warning_value('say "é\\"') == '299 - "say \\"Ã©\\\\\\""'
    reply = with_warnings(DoorReply(), tuple(f"{number}{'x' * 1_000}" for number in range(9)))
    assert max(len(value) for _, value in reply.headers) < 300


def test_what_was_only_tried_has_the_resource_version_that_it_had(world: World) -> None:
    scene = DoorScene(world=world, now_ms=30_000, wall_ms=1_800_000_000_000, may_write=True)
    dry = (("dryRun", "All"),)
    headers = {"content-type": MERGE}
    asked = DoorRequest(method="PATCH", path=f"{DEPLOYS}/d", query=dry, headers=headers, body=b'{"spec":{"replicas":3}}')
    reply, after = write(asked, scene)
    before = json.loads(answer(DoorRequest(path=f"{DEPLOYS}/d"), scene).body)["metadata"]["resourceVersion"]
    assert (json.loads(reply.body)["spec"]["replicas"], json.loads(reply.body)["metadata"]["resourceVersion"]) == (3, before)
    assert after is world
    asked = DoorRequest(method="POST", path=MAPS, query=dry, body=b'{"metadata":{"name":"m"}}')
    assert "resourceVersion" not in json.loads(write(asked, scene)[0].body)["metadata"]


def test_a_body_in_yaml_is_judged_like_one_in_json(world: World) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndta: {a: b}\n"
    reply, _ = send(world, "POST", MAPS, text, "Strict", content_type="application/yaml")
    assert (reply.status, "unknown field" in message(reply)) == (400, True)
    assert send(world, "POST", MAPS, text, "Warn", content_type="application/yaml")[1] == ['299 - "unknown field \\"dta\\""']


NUL_MAP = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"x\\u0000"}}'


@pytest.mark.parametrize(
    ("method", "path", "text", "content_type"),
    [
        ("POST", MAPS, NUL_MAP, "application/json"),
        ("POST", MAPS, 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {a: "\\0"}\n', "application/yaml"),
        ("PATCH", f"{MAPS}/c?", NUL_MAP, "application/apply-patch+yaml"),
        ("PATCH", "/api/v1/namespaces/default/pods/a", '{"metadata":{"annotations":{"a":"\\u0000"}}}', "application/merge-patch+json"),
    ],
)
def test_a_character_that_no_database_stores_is_refused(world: World, method: str, path: str, text: str, content_type: str) -> None:
    headers = {"content-type": content_type}
    query = (("fieldManager", "m"),) if path.endswith("?") else ()
    asked = DoorRequest(method=method, path=path.rstrip("?"), query=query, headers=headers, body=text.encode())
    reply, _ = write(asked, DoorScene(world=world, now_ms=30_000, wall_ms=1_800_000_000_000, may_write=True))
    assert (reply.status, "U+0000" in message(reply)) == (400, True)


def test_a_backslash_and_digits_are_no_such_character(world: World) -> None:
    reply, _ = send(world, "POST", MAPS, NUL_MAP.replace("\\u", "\\\\u"))
    assert reply.status == 201


@pytest.mark.parametrize(("chars", "is_cut"), [(4_096, False), (4_097, True)])
def test_warnings_are_cut_where_they_are_longer_together_than_the_api_server_sends(chars: int, is_cut: bool) -> None:
    (warning,) = (value for name, value in with_warnings(DoorReply(), ("x" * chars,)).headers if name == "Warning")
    assert (len(warning) < chars) is is_cut
