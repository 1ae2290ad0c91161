"""Maintainer's script: take the descriptions of the kinds we model out of the package ``kubernetes-validate``.

    pip install kubernetes-validate==1.37.0
    python -m simulator.schemas.extract_docs

writes ``docs.json.gz``: for every field its description cut to its first sentences (the Kubernetes API reference, Apache-2.0),
the keys of list maps, and the versions it exists in where that is not all of them.
"""

import gzip
import json
import re
from pathlib import Path
from typing import Any

from simulator.schemas.extract import _minor, _reachable, _root, _short

TARGET = Path(__file__).with_name("docs.json.gz")
LENGTH_MAX = 300
_NOISE = ("Cannot be updated", "More info", "Optional")
_SENTENCE = re.compile(r"(?<=[a-z0-9)\"'`\]])\.(?:\s+(?=[A-Z\"'`(*])|\s*$)")
_LINKS = re.compile(r"\s*(?:More info|For more information|See)?:?\s*https?://\S+", re.IGNORECASE)


def main() -> None:
    """Read every version of the package, oldest first, and write the compact file."""
    types: dict[str, dict[str, Any]] = {}
    folders = sorted(_root().glob("v*-local-strict"), key=_minor)
    for folder in folders:
        raw = json.loads((folder / "_definitions.json").read_text())["$defs"]
        for name in sorted(_reachable(raw)):
            _take(types.setdefault(_short(name), {"fields": {}}), raw[name], _minor(folder))
    _mark_ends(types, first=_minor(folders[0]), last=_minor(folders[-1]))
    text = json.dumps({"types": types}, separators=(",", ":"), sort_keys=True)
    TARGET.write_bytes(gzip.compress(text.encode(), mtime=0))


def _take(kept: dict[str, Any], definition: dict[str, Any], minor: int) -> None:
    """The newest words win; the first and last version of a field are kept as ``since`` and ``until``."""
    kept["doc"] = opening(definition.get("description", ""))
    for name, item in definition.get("properties", {}).items():
        field = kept["fields"].setdefault(name, {"since": minor})
        field["until"] = minor
        field["doc"] = opening(item.get("description", ""))
        if keys := item.get("x-kubernetes-list-map-keys"):
            field["key"] = keys


def _mark_ends(types: dict[str, dict[str, Any]], *, first: int, last: int) -> None:
    for kept in types.values():
        for field in kept["fields"].values():
            if field["since"] == first:
                del field["since"]
            if field["until"] == last:
                del field["until"]


def opening(text: str) -> str:
    """The first sentences without links that fit into LENGTH_MAX characters; a first one that is longer is cut."""
    plain = re.sub(r"\s+", " ", _LINKS.sub("", text.split("Possible enum values")[0])).strip()
    sentences = [part.strip().rstrip(".") for part in _SENTENCE.split(plain)]
    kept = ""
    for sentence in (part for part in sentences if part and part not in _NOISE):
        if not kept and len(sentence) > LENGTH_MAX:
            return sentence[:LENGTH_MAX].rsplit(" ", 1)[0] + " …"
        if len(kept) + len(sentence) > LENGTH_MAX:
            break
        kept = f"{kept} {sentence}.".lstrip()
    return kept


if __name__ == "__main__":
    main()
