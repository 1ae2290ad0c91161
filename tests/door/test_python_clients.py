"""Python clients with a running cluster: lists, watches, creates, patches, applies, deletes; and an operator written with kopf.

The clients are installed in an environment of their own (``.venv/door/python``, by ``make test-door``), so that the site cannot depend on
them by accident. Each script prints one line of JSON.
"""

import json
import os
import subprocess
import textwrap
from pathlib import Path
from typing import Any

from tests.door.clients import WHEELS, left_out
from tests.door.cluster import POD
from tests.door.test_custom_kinds import definition, shop

PYTHON = Path(os.environ.get("PODSCOPE_DOOR_PYTHON") or WHEELS / "python" / "bin" / "python")
SECONDS = 60
HEAD = f"import json, os, sys, time\nURL, HOME = sys.argv[1:3]\nPOD = {POD!r}\nsaid = {{}}\n"


def python_with(package: str) -> Path:
    """The interpreter that has the package; skips or fails if there is none."""
    if not PYTHON.exists() or not list(PYTHON.parent.parent.glob(f"lib/python3*/site-packages/{package}")):
        return left_out(f"the Python client {package}: make test-door installs it")
    return PYTHON


def kubeconfig(cluster: str, home: Path, *, skips_tls: bool = False) -> Path:
    """A kubeconfig for the cluster; ``skips_tls`` for clients that speak http only with that setting."""
    server = {"server": cluster, **({"insecure-skip-tls-verify": True} if skips_tls else {})}
    config = {
        "apiVersion": "v1", "kind": "Config", "current-context": "run",
        "clusters": [{"name": "run", "cluster": server}], "users": [{"name": "run", "user": {"token": "x"}}],
        "contexts": [{"name": "run", "context": {"cluster": "run", "user": "run", "namespace": "default"}}],
    }  # fmt: skip
    (home / "config").write_text(json.dumps(config))
    return home / "config"


def told_by(package: str, script: str, cluster: str, home: Path) -> Any:
    """The output of a script."""
    environment = {"HOME": str(home), "KUBECONFIG": str(kubeconfig(cluster, home)), "TZ": "UTC"}
    text = HEAD + textwrap.dedent(script) + "\nprint(json.dumps(said))\n"
    done = subprocess.run(
        [str(python_with(package)), "-c", text, cluster, str(home)],
        env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_kubernetes_lists_watches_and_writes(cluster: str, tmp_path: Path) -> None:
    script = """
        from kubernetes import client, dynamic, watch
        configuration = client.Configuration()
        configuration.host = URL
        api = client.ApiClient(configuration)
        core = client.CoreV1Api(api)
        said["pods"] = [item.metadata.name for item in core.list_namespaced_pod("default").items]
        said["manager"] = core.create_namespaced_pod("default", POD).metadata.managed_fields[0].manager
        for event in watch.Watch().stream(core.list_namespaced_pod, "default", timeout_seconds=20):
            if event["object"].metadata.name == "p" and event["object"].status.phase == "Running":
                said["seen"] = event["type"]
                break
        said["labels"] = core.patch_namespaced_pod("p", "default", {"metadata": {"labels": {"x": "y"}}}).metadata.labels
        maps = dynamic.DynamicClient(api).resources.get(api_version="v1", kind="ConfigMap")
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "b"}}
        applied = maps.server_side_apply(body=body, namespace="default", name="c", field_manager="py")
        said["owner"] = applied.metadata.managedFields[0].manager
        said["changes"] = [event["object"].metadata.name for event in maps.watch(namespace="default", timeout=2)]
        said["gone"] = core.delete_namespaced_pod("p", "default", grace_period_seconds=0).metadata.name
        said["version"] = client.VersionApi(api).get_code().git_version
    """
    said = told_by("kubernetes", script, cluster, tmp_path)
    assert "c" in said.pop("changes")
    assert said.pop("seen") in ("ADDED", "MODIFIED")
    assert said == {
        "pods": ["first"], "manager": "OpenAPI-Generator", "labels": {"x": "y"}, "owner": "py", "gone": "p", "version": "v1.33.0"
    }  # fmt: skip


def test_kubernetes_knows_custom_kinds(cluster: str, tmp_path: Path) -> None:
    script = f"""
        from kubernetes import client
        configuration = client.Configuration()
        configuration.host = URL
        api = client.ApiClient(configuration)
        extensions = client.ApiextensionsV1Api(api)
        said["none"] = len(extensions.list_custom_resource_definition().items)
        extensions.create_custom_resource_definition({definition()!r})
        shops = client.CustomObjectsApi(api)
        place = dict(group="shop.example.com", version="v1", namespace="default", plural="shops")
        said["tier"] = shops.create_namespaced_custom_object(**place, body={shop()!r})["spec"]["tier"]
        said["ready"] = shops.patch_namespaced_custom_object_status(**place, name="a", body={{"status": {{"ready": 1}}}})["status"]["ready"]
        said["names"] = [item["metadata"]["name"] for item in shops.list_namespaced_custom_object(**place)["items"]]
    """
    assert told_by("kubernetes", script, cluster, tmp_path) == {"none": 0, "tier": "dev", "ready": 1, "names": ["a"]}


def test_kubernetes_asyncio_lists_and_watches(cluster: str, tmp_path: Path) -> None:
    script = """
        import asyncio
        from kubernetes_asyncio import client, watch
        async def main():
            configuration = client.Configuration()
            configuration.host = URL
            async with client.ApiClient(configuration) as api:
                core = client.CoreV1Api(api)
                said["pods"] = [item.metadata.name for item in (await core.list_namespaced_pod("default")).items]
                await core.create_namespaced_pod("default", POD)
                async with watch.Watch().stream(core.list_namespaced_pod, "default", timeout_seconds=20) as stream:
                    async for event in stream:
                        if event["object"].metadata.name == "p" and event["object"].status.phase == "Running":
                            said["seen"] = True
                            break
        asyncio.run(main())
    """
    assert told_by("kubernetes_asyncio", script, cluster, tmp_path) == {"pods": ["first"], "seen": True}


def test_kr8s_creates_waits_and_deletes(cluster: str, tmp_path: Path) -> None:
    script = """
        import kr8s
        from kr8s.objects import Pod
        said["version"] = kr8s.version()["gitVersion"]
        pod = Pod(POD)
        pod.create()
        pod.wait("condition=Ready", timeout=20)
        pod.label({"x": "y"})
        said["pods"] = sorted(item.name for item in kr8s.get("pods", namespace="default"))
        said["labels"] = dict(Pod.get("p", namespace="default").labels)
        pod.delete()
        pod.wait("delete", timeout=20)
        said["left"] = [item.name for item in kr8s.get("pods", namespace="default")]
    """
    assert told_by("kr8s", script, cluster, tmp_path) == {
        "version": "v1.33.0", "pods": ["first", "p"], "labels": {"x": "y"}, "left": ["first"]
    }  # fmt: skip


def test_lightkube_applies_and_watches(cluster: str, tmp_path: Path) -> None:
    script = """
        from lightkube import ApiError, Client, KubeConfig
        from lightkube.models.meta_v1 import ObjectMeta
        from lightkube.resources.core_v1 import ConfigMap, Pod
        client = Client(KubeConfig.from_file(os.environ["KUBECONFIG"]), field_manager="light")
        said["pods"] = [item.metadata.name for item in client.list(Pod)]
        client.apply(ConfigMap(metadata=ObjectMeta(name="c"), data={"a": "b"}))
        try:
            client.apply(ConfigMap(metadata=ObjectMeta(name="c"), data={"a": "x"}), field_manager="other")
        except ApiError as error:
            said["refused"] = [error.status.code, error.status.message]
        said["forced"] = client.apply(ConfigMap(metadata=ObjectMeta(name="c"), data={"a": "x"}), field_manager="other", force=True).data
        client.create(Pod.from_dict(POD))
        for sort, pod in client.watch(Pod):
            if pod.metadata.name == "p" and pod.status.phase == "Running":
                said["seen"] = True
                break
        client.wait(Pod, "p", for_conditions=["Ready"])
        client.delete(Pod, "p")
    """
    assert told_by("lightkube", script, cluster, tmp_path) == {
        "pods": ["first"], "refused": [409, 'Apply failed with 1 conflict: conflict with "light": .data.a'],
        "forced": {"a": "x"}, "seen": True,
    }  # fmt: skip


def test_an_operator_written_with_kopf_sees_and_changes_pods(cluster: str, tmp_path: Path) -> None:
    script = f"""
        import asyncio, threading
        import kopf
        from kubernetes import client
        events, done = [], threading.Event()

        @kopf.on.create("pods")
        def created(name, patch, **_):
            patch.metadata.labels["seen"] = "yes"

        @kopf.on.create("shops")
        def opened(spec, patch, **_):
            patch.status["ready"] = spec["size"]

        @kopf.on.delete("shops")
        def closed(name, **_):
            events.append(name)

        configuration = client.Configuration()
        configuration.host = URL
        api = client.ApiClient(configuration)
        client.ApiextensionsV1Api(api).create_custom_resource_definition({definition()!r})
        stop = threading.Event()
        operator = threading.Thread(target=lambda: asyncio.run(kopf.operator(namespace="default", stop_flag=stop, standalone=True)))
        operator.start()
        core, shops = client.CoreV1Api(api), client.CustomObjectsApi(api)
        place = dict(group="shop.example.com", version="v1", namespace="default", plural="shops")

        def until(test):
            end = time.monotonic() + 30
            while time.monotonic() < end and not test():
                time.sleep(0.2)

        core.create_namespaced_pod("default", POD)
        until(lambda: (core.read_namespaced_pod("p", "default").metadata.labels or {{}}).get("seen"))
        said["label"] = (core.read_namespaced_pod("p", "default").metadata.labels or {{}}).get("seen")
        shops.create_namespaced_custom_object(**place, body={shop(size=4)!r})
        until(lambda: shops.get_namespaced_custom_object(**place, name="a").get("status", {{}}).get("ready"))
        said["ready"] = shops.get_namespaced_custom_object(**place, name="a").get("status", {{}}).get("ready")
        shops.delete_namespaced_custom_object(**place, name="a")
        until(lambda: not shops.list_namespaced_custom_object(**place)["items"])
        said["closed"], said["left"] = events, len(shops.list_namespaced_custom_object(**place)["items"])
        stop.set()
        operator.join()
    """
    assert told_by("kopf", script, cluster, tmp_path) == {"label": "yes", "ready": 4, "closed": ["a"], "left": 0}
