"""Modules get hashed names, and import each other by these."""

import gzip
import re

import pytest
from django.core.files.base import ContentFile
from whitenoise.compress import Compressor

from lifecycle_site.staticfiles import ModuleStaticFilesStorage, ThoroughCompressor

DOM = "export const hide = 1;\n"
COMMENTED = (
    "/** Export draws the same.\n * Import what you need from here. */\n"
    'import { hide } from "./dom.js";\nexport { hide as gone } from "./dom.js";\n'
)
LATER = 'import "./dom.js";\nconst later = () => import("./dom.js"); // import { x } from nowhere\n'


@pytest.fixture
def collected(tmp_path):
    """The stored files for modules with these texts, by name."""

    def collect(**modules):
        storage = ModuleStaticFilesStorage(location=tmp_path, base_url="/static/")
        for name, text in modules.items():
            storage.save(f"{name}.js", ContentFile(text))
        done = list(storage.post_process({f"{name}.js": (storage, f"{name}.js") for name in modules}))
        assert [processed for _, _, processed in done if isinstance(processed, Exception)] == []
        return {name: (tmp_path / storage.hashed_files[f"{name}.js"]).read_text() for name in modules}

    return collect


@pytest.mark.parametrize(("text", "count"), [(COMMENTED, 2), (LATER, 2)])
def test_module_names_what_it_imports_by_its_hash_whatever_its_comments_say(collected, text, count):
    found = collected(dom=DOM, main=text)["main"]
    assert len(re.findall(r"\./dom\.[0-9a-f]{12}\.js", found)) == count
    assert "./dom.js" not in found and "Export draws the same." in found or text is LATER


@pytest.mark.parametrize(
    ("name", "is_compressed", "is_thorough"),
    [("bundles/run.0123456789ab.js", True, True), ("bundles/run.0123456789ab.js", False, False), ("js/run.0123456789ab.js", True, False)],
)
def test_only_what_every_page_loads_and_is_worth_it_is_compressed_thoroughly(tmp_path, monkeypatch, name, is_compressed, is_thorough):
    path = tmp_path / name
    path.parent.mkdir()
    path.write_text("pods " * 100)
    monkeypatch.setattr(Compressor, "compress", lambda self, path: [f"{path}.gz"] if is_compressed else [])
    assert ThoroughCompressor(quiet=True).compress(str(path)) == ([f"{path}.gz"] if is_compressed else [])
    packed = path.with_name(f"{path.name}.gz")
    assert packed.exists() is is_thorough and (not is_thorough or gzip.decompress(packed.read_bytes()) == path.read_bytes())
