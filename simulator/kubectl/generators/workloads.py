"""``kubectl create deployment|job|cronjob``.

Source: kubectl pkg/cmd/create/create_deployment.go, create_job.go, create_cronjob.go.
"""

import hashlib
from typing import Any

from simulator.engine.apiserver.answer import not_found
from simulator.engine.kernel.json_text import Json
from simulator.engine.versions.span import Span
from simulator.kubectl.find import documents_of, find_kind, namespace_of
from simulator.kubectl.generators.base import Generated, container_of, metadata, name_of, object_of, required, whole_flag
from simulator.kubectl.line import BadLine, Line
from simulator.kubectl.tables.model import Sight

_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_MANUAL = {"cronjob.kubernetes.io/instantiate": "manual"}
_CRON_JOB_V1 = Span(since=21)


def deployment(line: Line, sight: Sight) -> Generated:
    """``create deployment NAME --image=IMAGE… [-- COMMAND]``. Raises BadLine."""
    required(line, "image")
    images = line.listed("image")
    if len(images) > 1 and line.command:
        raise BadLine("error: cannot specify multiple --image options and command")
    name, port = name_of(line, "create deployment"), whole_flag(line, "port", -1)
    containers = [container_of(_container_name(image), image, command=list(line.command)) for image in images]
    if port >= 0 and containers:
        first = containers[0]
        ports = [{"containerPort": port}]
        containers[0] = container_of(first["name"], first["image"], command=list(line.command), ports=ports)
    labels = {"app": name}
    return object_of(
        "Deployment",
        metadata(sight, name=name, namespace=line.value("namespace"), labels=labels),
        {
            "spec": {
                "replicas": whole_flag(line, "replicas", 1, short="r"),
                "selector": {"matchLabels": labels},
                "template": {"metadata": metadata(sight, labels=labels), "spec": {"containers": containers}},
                "strategy": {},
            },
            "status": {},
        },
        sight,
    )


def _container_name(image: str) -> str:
    """The last part of the image's name; one with a dot or an underscore gets a five-letter suffix to keep it unique."""
    name = image.rpartition("/")[2].partition(":")[0].partition("@")[0]
    if "_" not in name and "." not in name:
        return name
    # The suffix is random in kubectl. Here the same line must make the same object.
    digest = hashlib.sha256(image.encode(errors="replace")).digest()
    return f"{name.replace('_', '-').replace('.', '-')}-{''.join(_LETTERS[byte % len(_LETTERS)] for byte in digest[:5])}"


def job(line: Line, sight: Sight) -> Generated:
    """``create job NAME --image=IMAGE [-- COMMAND]`` or ``--from=cronjob/NAME``. Raises BadLine."""
    name, image, source = name_of(line, "create job"), line.value("image"), line.value("from")
    if bool(image) == bool(source):
        raise BadLine("error: either --image or --from must be specified")
    if source and line.command:
        raise BadLine("error: cannot specify --from and command")
    if source:
        return _job_of_cron_job(name, source, line, sight)
    meta = metadata(sight, name=name, namespace=line.value("namespace"))
    template = _pod_template(name, image, "Never", line, sight)
    return object_of("Job", meta, {"spec": {"template": template}, "status": {}}, sight)


def _pod_template(name: str, image: str, restart: str, line: Line, sight: Sight) -> Json:
    container = container_of(name, image, command=list(line.command))
    return {"metadata": metadata(sight), "spec": {"containers": [container], "restartPolicy": restart}}


def _job_of_cron_job(name: str, source: str, line: Line, sight: Sight) -> Generated:
    kind, slash, from_name = source.partition("/")
    info = find_kind(kind, sight)
    if not slash:
        raise BadLine("error: resource(s) were provided, but no name was specified")
    if info.kind != "CronJob":
        raise BadLine(f"error: from must be an existing cronjob, not {info.singular}")
    space = namespace_of(line, sight)
    found = next((item for item in documents_of(info, sight) if item["metadata"]["name"] == from_name and _space(item) == space), None)
    if found is None:
        raise BadLine(not_found(info.plural, from_name, group=info.group).answer.kubectl)
    inner = found["spec"]["jobTemplate"]
    given = inner.get("metadata") or {}
    owner = {
        "apiVersion": "batch/v1" if _CRON_JOB_V1.holds_for(sight.minor) else "batch/v1beta1",
        "kind": "CronJob",
        "name": from_name,
        "uid": found["metadata"].get("uid", ""),
        "controller": True,
    }
    meta = metadata(
        sight,
        name=name,
        namespace=line.value("namespace"),
        labels=given.get("labels"),
        annotations={**_MANUAL, **(given.get("annotations") or {})},
        ownerReferences=[owner],
    )
    return object_of("Job", meta, {"spec": inner.get("spec") or {}, "status": {}}, sight)


def _space(document: Json) -> str:
    return str(document["metadata"].get("namespace") or "")


def cron_job(line: Line, sight: Sight) -> Generated:
    """``create cronjob NAME --image=IMAGE --schedule=SCHEDULE [-- COMMAND]``. Raises BadLine."""
    required(line, *[name for name in ("image", "schedule") if name not in line.flags])
    name = name_of(line, "create cronjob")
    template = _pod_template(name, line.value("image"), line.value("restart") or "OnFailure", line, sight)
    inner: dict[str, Any] = {"metadata": metadata(sight, name=name), "spec": {"template": template}}
    meta = metadata(sight, name=name, namespace=line.value("namespace"))
    return object_of("CronJob", meta, {"spec": {"schedule": line.value("schedule"), "jobTemplate": inner}, "status": {}}, sight)
