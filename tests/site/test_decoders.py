"""Every entry point for JSON, YAML or TOML refuses excessive nesting with a message; no other code decodes outside input."""

import ast
import base64
import io
import json
import zlib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from simulator.imports.build import import_text
from simulator.imports.read import read
from simulator.manifests.check.check import check_text
from simulator.manifests.script.cluster import read_cluster
from simulator.manifests.script.script import read_script
from simulator.models import Run
from simulator.runs.wire import protocol
from simulator.scenarios.links import TAG
from simulator.scenarios.portable import BadFile, Limits, file_text, read_file
from simulator.web.gallery.imports import content_of, example
from tests.factories import make_run
from tests.web.helpers import play, sign_in_as_owner

ROOT = Path(__file__).resolve().parents[2]
LEVELS = 50_000
DEEP = '{"a":' * LEVELS + "1" + "}" * LEVELS
FLOW = "[" * LEVELS + "]" * LEVELS
CLOSED = (DEEP, FLOW, '{"a":' * LEVELS, "a: " + FLOW)
SAYS = ("levels", "deeper than", "max depth", "nested")
DECODERS = {
    "json.loads", "json.load", "json.JSONDecoder", "msgspec.json.Decoder", "msgspec.json.decode", "msgspec.msgpack.decode",
    "tomllib.loads", "tomllib.load", "ast.literal_eval",
    "yaml.parse", "yaml.load", "yaml.load_all", "yaml.safe_load", "yaml.safe_load_all", "yaml.compose", "pickle.loads", "pickle.load",
}  # fmt: skip
LAST_NAMES = {name.rpartition(".")[2] for name in DECODERS} | {"from_json"}
OWN = "this software wrote it, or it is a file of the repository"
STORED = "documents of the world: what is stored came in by a door"
OF_THE_WORLD = (
    "simulator/door/openapi/custom.py",
    "simulator/engine/acts/objects/apply.py",
    "simulator/engine/apiserver/create.py",
    "simulator/engine/apiserver/documents/custom.py",
    "simulator/engine/apiserver/documents/definitions.py",
    "simulator/engine/apiserver/documents/objects.py",
    "simulator/engine/apiserver/documents/pod.py",
    "simulator/engine/apiserver/pod_updates.py",
    "simulator/engine/apiserver/store/edits.py",
    "simulator/engine/apiserver/store/namespace_deletion.py",
    "simulator/engine/apiserver/store/objects.py",
    "simulator/engine/apiserver/store/owners.py",
    "simulator/engine/apiserver/store/pods.py",
    "simulator/engine/apiserver/store/security.py",
    "simulator/engine/apiserver/store/surroundings.py",
    "simulator/engine/apiserver/store/updates.py",
    "simulator/engine/controllers/claim_protection.py",
    "simulator/engine/controllers/disruption/budgets.py",
    "simulator/engine/controllers/garbage_collector.py",
    "simulator/engine/controllers/job/pods.py",
    "simulator/engine/controllers/namespace.py",
    "simulator/engine/controllers/stateful_set/identity.py",
    "simulator/engine/course/genesis.py",
    "simulator/engine/past/facts.py",
    "simulator/engine/past/resume.py",
    "simulator/engine/kubelet/pods/volumes/volume_content.py",
    "simulator/engine/kubelet/pods/facts/config_content.py",
    "simulator/engine/kubelet/pods/static/static_pods.py",
    "simulator/engine/model/manifest.py",
    "simulator/engine/network/endpoints.py",
    "simulator/engine/network/services.py",
    "simulator/engine/projection/project.py",
    "simulator/engine/scheduler/placement.py",
    "simulator/engine/scheduler/plugins/inter_pod_affinity.py",
    "simulator/engine/scheduler/plugins/node_volume_limits.py",
    "simulator/engine/workloads/hashing.py",
    "simulator/engine/workloads/history.py",
    "simulator/engine/workloads/objects.py",
    "simulator/engine/workloads/refs.py",
    "simulator/engine/world/indexing.py",
    "simulator/engine/world/storage.py",
    "simulator/headless/lens.py",
    "simulator/headless/sweeps/fields.py",
    "simulator/headless/sweeps/overwritten.py",
)
"""Modules of the engine and around it that decode documents already stored, or contained in a header or an act."""
ALLOWED = {
    **dict.fromkeys(OF_THE_WORLD, STORED),
    "simulator/engine/kernel/typed.py": "the decoder of values of a type: ``from_outside`` counts levels",
    "simulator/engine/apiserver/wire/catalog.py": OWN,
    "simulator/engine/apiserver/wire/old_decoder.py": "bodies of documents that have been decoded before",
    "simulator/headless/sweeps/work.py": "what processes of the site say to each other",
    "simulator/headless/sweeps/workers.py": "what processes of the site say to each other",
    "simulator/engine/kernel/json_text.py": "the decoder",
    "simulator/kubectl/yaml.py": "counts levels and aliases before it builds anything",
    "simulator/manifests/read/": "the reader of YAML, with limits of its own (tests/manifests/test_loader.py)",
    "simulator/engine/versions/": OWN,
    "simulator/imports/build.py": STORED,
    "simulator/kubectl/acting/outcome.py": "the causes in a record",
    "simulator/manifests/editor/": STORED,
    "simulator/runs/log/content.py": "the database's own rows",
    "simulator/runs/wire/switch.py": "what processes of the site say to each other, over a socket in the data folder",
    "simulator/scenarios/reasons.py": OWN,
    "simulator/scenarios/story.py": OWN,
    "simulator/web/bundles.py": OWN,
    "simulator/web/base/page_workers.py": "what it has pickled itself, to see whether it arrives",
    "simulator/fidelity/measured.py": OWN,
    "simulator/fidelity/corpus/facts.py": STORED,
    "simulator/bench/": OWN,
    "simulator/schemas/": OWN,
    "simulator/kubectl/words.py": OWN,
    "simulator/runs/services/progress.py": "the site's own rows: ``progress_text`` wrote them",
    "simulator/levels/reading.py": "bounds the text first, and catches what is nested too deep",
    "simulator/levels/rewriting.py": "statements of a text that levels/reading.py has read; catches what is nested too deep",
    "simulator/scenarios/act_texts.py": "only whether a text is JSON; catches what is nested too deep",
    "lifecycle_site/catalogs.py": OWN,
}
"""Modules that may decode without a limit on nesting, and why."""


def decoders(path: Path) -> list[str]:
    """The decoding functions used in a module: called there, passed to a caller, or imported by name."""
    text = path.read_text(encoding="utf-8")
    if not any(name in text for name in LAST_NAMES):
        return []
    nodes = [*ast.walk(ast.parse(text))]
    named = [ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute) and node.attr in LAST_NAMES]
    named += [f"{node.module}.{each.name}" for node in nodes if isinstance(node, ast.ImportFrom) for each in node.names]
    return [name for name in named if name in DECODERS or name.endswith(".from_json")]


@pytest.mark.parametrize(
    "line", ["json.loads(text)", "map(json.loads, texts)", "read = yaml.safe_load", "KIND.from_json(text)", "from json import loads"]
)
def test_decoder_is_seen_however_it_comes_to_be_called(line, tmp_path):
    module = tmp_path / "module.py"
    module.write_text(line)
    assert len(decoders(module)) == 1


@cache
def found() -> Counter[str]:
    modules = [
        path for folder in ("simulator", "lifecycle_site") for path in (ROOT / folder).rglob("*.py") if "migrations" not in path.parts
    ]
    return Counter({str(path.relative_to(ROOT)): count for path in modules if (count := len(decoders(path)))})


def test_only_these_modules_decode_texts():
    assert [name for name in found() if not name.startswith(tuple(ALLOWED))] == []


def test_every_module_that_may_decode_does():
    assert [place for place in ALLOWED if not any(name.startswith(place) for name in found())] == []


@pytest.mark.parametrize("deep", CLOSED)
@pytest.mark.parametrize(
    "door",
    [
        lambda text: check_text(text, kubernetes="1.33").problems,
        lambda text: read_script(text, kubernetes="1.33").problems,
        lambda text: read_cluster(text).problems,
        lambda text: read(text).problems,
        lambda text: import_text(text.encode()).problems,
    ],
    ids=["manifests", "script", "cluster", "import", "import of bytes"],
)
def test_text_that_is_nested_too_deep_is_refused_by_its_line(door, deep):
    problems = door(deep)
    assert any(problem.severity == "error" and "nested deeper" in problem.message and problem.line == 1 for problem in problems), problems


INNER = '{"a":' * 150 + "1" + "}" * 150
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: 'busybox:1.36'}]}\n"


def file(**fields: object) -> str:
    return json.dumps({"podscope": 1, "kubernetes": "1.33", "manifests": POD} | fields)


def past_file() -> str:
    whole = json.loads(file_text(content_of(import_text(example(), kubernetes="", seed=1)), title="x"))
    whole["past"]["pods"][0]["document"] = INNER
    return json.dumps(whole)


FILES = {
    "itself": (DEEP, ""),
    "itself, half": ('{"podscope":' + "[" * LEVELS, ""),
    "an object": (file(objects=[INNER]), "objects[0]: "),
    "a document that is applied": (file(acts=[{"at_ms": 1, "do": "apply", "documents": [INNER]}], until_ms=9), "acts[0].documents[0]: "),
    "a patch": (file(acts=[{"at_ms": 1, "do": "patch_pod", "target": "default/web", "patch": INNER}], until_ms=9), "acts[0].patch: "),
    "a stand-in": (file(cluster={"nodes": [], "stand_ins": {"nginx": INNER}}), "cluster.stand_ins.nginx: "),
    "a past": (past_file(), "past.pods[0].document: "),
}


@pytest.mark.parametrize("case", FILES)
def test_file_that_is_nested_too_deep_anywhere_is_refused_by_its_place(case):
    text, place = FILES[case]
    with pytest.raises(BadFile) as refused:
        read_file(text, Limits(commands_max=100, until_ms_max=10**9))
    assert refused.value.problems[0].startswith(f"{place}lists and objects are nested more than 100 levels deep")


def link(text: str) -> str:
    deflate = zlib.compressobj(level=9, wbits=-15)
    return "/x/#" + TAG + base64.urlsafe_b64encode(deflate.compress(text.encode()) + deflate.flush()).rstrip(b"=").decode()


def upload(text: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("a.json", text.encode())


NEW = {"kubernetes": "1.33", "jitter": "on"}
PAGES = {
    "a file, pasted": ("/x/", lambda: {"text": DEEP}),
    "a file": ("/x/", lambda: {"upload": upload(DEEP)}),
    "a link": ("/x/", lambda: {"text": link(DEEP)}),
    "a new run": ("/new/", lambda: {**NEW, "manifest": FLOW}),
    "a new run, of JSON": ("/new/", lambda: {**NEW, "manifest": DEEP}),
    "an import": ("/new/import/", lambda: {"text": DEEP}),
    "an import, of a file": ("/new/import/", lambda: {"upload": upload(DEEP)}),
    "behaviours of an import": ("/new/import/", lambda: {"text": example(), "behaviours": "a: " + "[" * 20_000}),
    "a check": ("/manifests/check/", lambda: {"manifest": DEEP}),
    "a sweep": ("/sweeps/", lambda: {"manifest": DEEP, "kubernetes": "1.33", "find": "1"}),
    "what is applied": ("commands/", lambda: {"manifest": DEEP, "client_key": "12345678"}),
    "a preview": ("preview/", lambda: {"manifest": DEEP}),
    "a patch": ("kubectl/", lambda: {"k": f"patch pod web -p '{'[' * 120}{']' * 120}'", "client_key": "12345678"}),
}


@pytest.mark.django_db
@pytest.mark.parametrize("case", PAGES)
def test_page_refuses_what_is_nested_too_deep_with_a_message(client, case):
    run = play(make_run(), 5000)
    sign_in_as_owner(client)
    address, fields = PAGES[case]
    path = address if address.startswith("/") else reverse("sim:run", args=[run.id]) + address
    answer = client.post(path, fields())
    said = answer.content.decode()
    assert answer.status_code in (200, 422)
    assert case == "behaviours of an import" or any(word in said for word in SAYS), said[-3000:]
    assert Run.objects.count() == 1


@pytest.mark.parametrize("kind", [protocol.CLIENT_MESSAGE, protocol.TEACHER_MESSAGE])
@pytest.mark.parametrize("text", ["[" * 1000, '{"type":' + "[" * 900, '{"a":' * 200])
def test_message_of_a_socket_that_is_nested_too_deep_is_none(kind, text):
    with pytest.raises(ValueError, match="max depth"):
        kind.from_outside(text)


@pytest.mark.parametrize("option", ["-f", "--script", "--cluster", "--import"])
def test_command_refuses_what_is_nested_too_deep_with_a_message(tmp_path, option):
    (tmp_path / "pod.yaml").write_text(POD)
    (tmp_path / "deep").write_text(DEEP)
    told, more = io.StringIO(), [] if option in ("-f", "--import") else ["-f", str(tmp_path / "pod.yaml")]
    with pytest.raises(CommandError):
        call_command("simulate", option, str(tmp_path / "deep"), *more, stderr=told, stdout=io.StringIO())
    assert "nested deeper than" in told.getvalue()


def test_behaviour_that_is_nested_too_deep_is_told_with_its_line():
    text = POD.replace("{name: web}", "\n  name: web\n  annotations:\n    podscope.dev/behaviour: '" + INNER + "'")
    problems = check_text(text, kubernetes="1.33").problems
    assert any(problem.line == 6 for problem in problems), problems
