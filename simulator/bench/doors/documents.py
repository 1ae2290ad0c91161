"""Documents of the kinds that forms accept, valid or with one part replaced: YAML, JSON and the site's own files."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import yaml

from simulator import imports
from simulator.bench.doors import texts
from simulator.scenarios.links import LENGTH_MAX, TAG, packed

DEEP = 50_000
POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "namespace": "default", "labels": {"app": "web"}, "annotations": {"note": "1"}},
    "spec": {
        "terminationGracePeriodSeconds": 5,
        "containers": [
            {
                "name": "app",
                "image": "nginx:1.27",
                "command": ["sh", "-c", "sleep 3600"],
                "ports": [{"containerPort": 80}],
                "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
                "readinessProbe": {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 5},
            }
        ],
    },
}
_RAW = "@@raw@@"
"""A placeholder for what no JSON writer would write; it is replaced in the text."""
_RAW_VALUES = (
    *("1e999999", "-1e999999", "1e-999999", "NaN", "-Infinity", "9" * 4301, "-0", "1.5", "9223372036854775808", '"\\u0000"'),
    *('"\\ud800"', '"\\udc00a"', '"\\u202e"', "01", "'", "", "{", '"', "\x00", "[" * 200 + "]" * 200, "[" * 99 + "]" * 99),
    *('{"a":' * 101 + "1" + "}" * 101, "[" * 1200 + "]" * 1200, '{"a":1,"a":2}', "[]", "{}", "null", "true", '"' + "n" * 100_000 + '"'),
)


@cache
def _dump() -> Any:
    return yaml.safe_load((Path(imports.__path__[0]) / "example.yaml").read_text(encoding="utf-8"))


def document(random: Random, file: str) -> str:
    """A text for a form: a run's ``file``, a pod, or kubectl output."""
    kind = random.randrange(12)
    if kind in (0, 5):
        return _deep(random)
    if kind == 1:
        return texts.word(random, most=100_000)
    sound = (POD, json.loads(file), _dump())[random.randrange(3)]
    if kind == 2:
        return json.dumps(sound)
    text = mutated(random, sound)
    if kind == 3:
        return _cut(random, text)
    if kind == 4 and len(text) < LENGTH_MAX and text.isascii():
        return packed(text) if random.random() < 0.7 else TAG + _cut(random, packed(text)[len(TAG) :])
    return text


def _deep(random: Random) -> str:
    """Excessive nesting."""
    count = random.choice((90, 101, 500, 1_100, 5_000, DEEP))
    opening, closing = random.choice(
        (
            ("[", "]"),
            ('{"a":', "}"),
            ('{"a":', "}"),
            ('{"a":[', "]}"),
            ("a: [", "]"),
            ("- ", ""),
            ("? ", ""),
            ("{a: ", "}"),
            ('{"revision":', "}"),
            ("&a [*a,", "]"),
        )
    )
    return opening * count + random.choice(("", "1")) + closing * (count if random.random() < 0.7 else 0)


def _cut(random: Random, text: str) -> str:
    start = random.randrange(len(text) + 1)
    return text[:start] + random.choice(("", texts.word(random, most=1_000))) + text[start + random.randrange(9) :]


def mutated(random: Random, document: Any) -> str:
    """The document as JSON, which is also YAML, with one to three of its parts replaced."""
    copy = json.loads(json.dumps(document, default=str))
    raws: list[str] = []
    for _ in range(random.randint(1, 3)):
        places = list(_places(copy))
        if not places:
            break
        holder, key = places[random.randrange(len(places))]
        _replace(random, holder, key, raws)
    text = json.dumps(copy, ensure_ascii=random.random() < 0.5)
    for raw in raws:
        text = text.replace(f'"{_RAW}"', raw, 1)
    return text


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container and key inside."""
    items: Iterator[tuple[Any, Any]] = iter(())
    if isinstance(value, dict):
        items = iter(list(value.items()))
    elif isinstance(value, list):
        items = iter(list(enumerate(value)))
    for key, held in items:
        yield value, key
        yield from _places(held)


def _replace(random: Random, holder: Any, key: Any, raws: list[str]) -> None:
    kind, old = random.randrange(8), holder[key]
    if kind == 0 and isinstance(holder, dict):
        holder[texts.word(random, most=2_000)] = holder.pop(key)
    elif kind == 1:
        del holder[key]
    elif kind == 2:
        holder[key] = random.choice((None, True, 0, -1, 2**31, 2**63, 2**70, 1.5, [], {}, [old], {"a": old}, [old] * 50, str(old)))
    elif kind == 3 and isinstance(old, str) and old[:2] == "20":
        holder[key] = random.choice(texts.DATES)
    elif kind in (4, 5) or isinstance(old, (int, float)):
        raws.append(random.choice(_RAW_VALUES))
        holder[key] = _RAW
    else:
        holder[key] = texts.word(random, most=100_000)
