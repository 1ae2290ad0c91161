"""The editor's endpoints."""

import gzip
import json

import pytest
from django.test import Client
from django.urls import reverse
from msgspec.structs import replace

from simulator.web.run import manifests
from tests.factories import make_content, make_run, pod_json

pytestmark = pytest.mark.django_db

POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web  # 🐳 whale
spec:
  containers:
  - name: app
    image: nginx:1.27
"""


def check(client, manifest: str, **fields):
    answer = client.post(reverse("sim:manifest-check"), {"manifest": manifest, "kubernetes": "1.33", **fields})
    return answer.json()


def test_check_finds_nothing_wrong_when_pod_is_right(client) -> None:
    report = check(client, POD)

    assert report["ok"] and report["counts"]["error"] == 0
    assert report["documents"][0]["kind"] == "Pod" and report["documents"][0]["name"] == "web"


def test_check_counts_utf16_when_text_has_a_whale(client) -> None:
    report = check(client, POD.replace("image:", "imaeg:"))
    found = next(item for item in report["diagnostics"] if item["code"] == "unknown-field")
    units = POD.replace("image:", "imaeg:").encode("utf-16-le")

    assert units[found["from"] * 2 : found["to"] * 2].decode("utf-16-le") == "imaeg"
    assert (found["line"], found["col"], found["severity"]) == (8, 5, "error")


def test_check_points_at_the_line_when_yaml_is_broken(client) -> None:
    report = check(client, "kind: Pod\nmetadata: [\n")

    assert report["diagnostics"][0]["code"] == "yaml"
    assert report["diagnostics"][0]["line"] == 2 and report["diagnostics"][0]["to"] > report["diagnostics"][0]["from"]


def test_check_refuses_posts_when_token_is_missing() -> None:
    answer = Client(enforce_csrf_checks=True).post(reverse("sim:manifest-check"), {"manifest": POD})

    assert answer.status_code == 403


def test_check_answers_400_when_version_is_unknown(client) -> None:
    assert client.post(reverse("sim:manifest-check"), {"manifest": POD, "kubernetes": "9.9"}).status_code == 400


def test_check_says_it_when_text_is_too_large(client) -> None:
    report = check(client, f"a: {'b' * 4_000_001}\n")

    assert [item["code"] for item in report["diagnostics"]] == ["too-large"]


def test_check_knows_objects_of_the_run(client) -> None:
    report = check(client, POD, run=str(make_run().id))

    assert report["documents"][0]["exists"]


def test_schema_names_fields_when_kind_is_known(client) -> None:
    answer = client.get(reverse("sim:manifest-schema", args=["1.33", "Pod"]))
    types = answer.json()["types"]

    assert types["PodSpec"]["fields"]["containers"]["of"] == "Container"
    assert "max-age" in answer["Cache-Control"]


def test_schema_is_not_found_when_kind_is_unknown(client) -> None:
    assert client.get(reverse("sim:manifest-schema", args=["1.33", "Gizmo"])).status_code == 404
    assert client.get(reverse("sim:manifest-schema", args=["0.33", "Pod"])).status_code == 404


def test_index_lists_kinds(client) -> None:
    kinds = client.get(reverse("sim:manifest-index", args=["1.33"])).json()["kinds"]

    assert {"kind": "Pod", "api_version": "v1", "modelled": True} in kinds


def preview(client, run, manifest: str, **fields):
    return client.post(reverse("sim:run-preview", args=[run.id]), {"manifest": manifest, **fields}).json()


def live(client, run, name: str = "web") -> str:
    answer = client.get(reverse("sim:run-object", args=[run.id, 0, "Pod", "default", name]))
    return answer.json()["yaml"]


def test_preview_creates_when_object_is_new(client) -> None:
    said = preview(client, make_run(), POD.replace("web", "other"))

    assert (said["outcome"], said["kubectl"]) == ("accepted", "pod/other created")


def test_preview_is_unchanged_when_object_comes_back_as_it_was(client) -> None:
    run = make_run()
    said = preview(client, run, live(client, run))

    assert (said["outcome"], said["diff"]) == ("unchanged", [])


def test_preview_shows_both_lines_when_image_changes(client) -> None:
    run = make_run()
    said = preview(client, run, live(client, run).replace("busybox:1.28", "busybox:1.36"))

    assert said["outcome"] == "accepted"
    changed = [(line["op"], line["text"].split()[-1]) for line in said["diff"] if line["op"] in "+-"]
    assert changed == [("-", "busybox:1.28"), ("+", "busybox:1.36")]


def test_preview_is_rejected_when_field_may_not_change(client) -> None:
    run = make_run()
    said = preview(client, run, live(client, run).replace("restartPolicy: Always", "restartPolicy: Never"))

    assert said["outcome"] == "rejected" and "pod updates may not change fields" in said["answer"]["message"]


def test_preview_changes_nothing_in_the_run(client) -> None:
    run = make_run()
    preview(client, run, POD.replace("web", "other"))

    assert client.get(reverse("sim:run-object", args=[run.id, 0, "Pod", "default", "other"])).status_code == 404


def test_preview_answers_diagnostics_when_nothing_can_be_read(client) -> None:
    answer = client.post(reverse("sim:run-preview", args=[make_run().id]), {"manifest": "kind: [\n"})

    assert answer.status_code == 422 and answer.json()["diagnostics"]


def test_object_leaves_managed_fields_out(client) -> None:
    text = live(client, make_run())

    assert "resourceVersion" not in text and "status:" not in text and json.dumps(text)


def test_schema_is_packed_when_browser_takes_that(client) -> None:
    url = reverse("sim:manifest-schema", args=["1.33", "Pod"])
    packed = client.get(url, headers={"Accept-Encoding": "br, gzip"})

    assert packed["Content-Encoding"] == "gzip" and gzip.decompress(packed.content) == client.get(url).content
    assert "Content-Encoding" not in client.get(url, headers={"Accept-Encoding": "gzip;q=0"})


def test_schema_answers_304_when_browser_has_it(client) -> None:
    url = reverse("sim:manifest-schema", args=["1.33", "Pod"])
    etag = client.get(url)["ETag"]

    assert client.get(url, headers={"If-None-Match": etag}).status_code == 304


def test_check_names_the_place_of_a_null_character(client) -> None:
    report = check(client, POD.replace("nginx", "ngi\x00nx"))

    assert [(item["code"], item["line"]) for item in report["diagnostics"]] == [("control-character", 8)]


def test_check_marks_refused_change_at_its_field(client) -> None:
    run = make_run()
    text = live(client, run).replace("restartPolicy: Always", "restartPolicy: Never")
    found = [item for item in check(client, text, run=str(run.id))["diagnostics"] if item["code"] == "update-refused"]

    assert [(item["path"], item["quickfix"][0]["edits"][0]["insert"]) for item in found] == [("spec.restartPolicy", "Always")]


def test_search_for_labels_names_the_pods_they_fit(client):
    documents = [json.loads(pod_json(name)) for name in ("web", "db")]
    for document in documents:
        document["metadata"]["labels"] = {"app": document["metadata"]["name"]}
    run = make_run(content=make_content(*map(json.dumps, documents)))
    url = reverse("sim:run-pods", args=[run.id, 0])
    assert client.get(url, {"selector": "app in (web,api)"}).json() == {"pods": ["default/web"]}
    assert client.get(url, {"selector": "!app"}).json() == {"pods": []}
    refused = client.get(url, {"selector": "a=b=c"})
    assert refused.status_code == 422 and "parse" in refused.json()["error"]


@pytest.mark.parametrize(
    ("has_run", "namespace", "checked_in"), [(False, "", "default"), (False, "dev", "dev"), (True, "", "own"), (True, "dev", "dev")]
)
def test_text_is_checked_in_the_namespace_that_is_named_or_in_that_of_the_run(client, monkeypatch, has_run, namespace, checked_in) -> None:
    asked = []
    monkeypatch.setattr(manifests, "diagnose", lambda text, **how: asked.append(how["namespace"]) or {})
    content = make_content(pod_json())
    run = make_run(content=replace(content, header=replace(content.header, namespace="own")))
    check(client, POD, namespace=namespace, **({"run": run.id} if has_run else {}))
    assert asked == [checked_in]
