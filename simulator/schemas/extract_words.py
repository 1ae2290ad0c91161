"""Maintainer's script: take whole descriptions of types and fields out of the package ``kubernetes-validate``, for ``kubectl explain``.

    pip install kubernetes-validate==1.37.0
    python -m simulator.schemas.extract_words

writes ``words.json.gz``: for every type of ``docs.json.gz`` and ``openapi.json.gz`` and each of its fields (the type itself under "") from
which version on which text holds; each text is stored once (the Kubernetes API reference, Apache-2.0).
"""

import gzip
import json
from pathlib import Path
from typing import Any

from simulator.schemas.extract import _minor, _root, _short
from simulator.schemas.extract_docs import TARGET as DOCS
from simulator.schemas.extract_openapi import TARGET as OPENAPI

TARGET = Path(__file__).with_name("words.json.gz")


def main() -> None:
    """Read every version of the package, oldest first, and write the compact file."""
    wanted = {name for path in (DOCS, OPENAPI) for name in json.loads(gzip.decompress(path.read_bytes()))["types"]}
    types: dict[str, dict[str, list[list[int]]]] = {}
    texts: dict[str, int] = {}
    for folder in sorted(_root().glob("v*-local-strict"), key=_minor):
        raw = json.loads((folder / "_definitions.json").read_text())["$defs"]
        for name, definition in raw.items():
            if _short(name) in wanted:
                _take(types.setdefault(_short(name), {}), definition, _minor(folder), texts)
    text = json.dumps({"types": types, "texts": list(texts)}, separators=(",", ":"), sort_keys=True)
    TARGET.write_bytes(gzip.compress(text.encode(), mtime=0))


def _take(kept: dict[str, list[list[int]]], definition: dict[str, Any], minor: int, texts: dict[str, int]) -> None:
    fields = {name: item.get("description", "") for name, item in definition.get("properties", {}).items()}
    for name, text in {"": definition.get("description", ""), **fields}.items():
        place, spans = texts.setdefault(text, len(texts)), kept.setdefault(name, [])
        if not spans or spans[-1][1] != place:
            spans.append([minor, place])


if __name__ == "__main__":
    main()
