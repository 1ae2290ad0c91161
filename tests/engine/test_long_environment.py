"""Arguments and environments that exceed the kernel's limit: the container ends at once, and nothing of that size is built."""

import tracemalloc
from typing import Any

import pytest

from simulator.engine import World
from simulator.engine.containers.arguments import ALL_BYTES_MAX, WORD_BYTES_MAX, exceeds_limits
from simulator.engine.kernel.records import Record
from simulator.engine.kubelet.pods.containers.expansion import expand
from simulator.engine.kubelet.pods.start import launch
from simulator.engine.kubelet.pods.start.environment import NAMES_CHARS_MAX
from tests.engine.worlds import container, events, header, pod, run

DOUBLING = [{"name": "E0", "value": "x" * 16}, *({"name": f"E{n}", "value": f"$(E{n - 1})$(E{n - 1})"} for n in range(1, 61))]
CONFIG: dict[str, Any] = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"k": "v" * 100_000}}
FROM_CONFIG = {"configMapKeyRef": {"name": "c", "key": "k"}}


def refused(records: list[Record]) -> bool:
    """Whether the container ended with 1 because its arguments were too long."""
    ended = [record.get("exit_code") for record in records if record.trigger == "process_exited"]
    return ended[:1] == [1] and any(record.rule == "ARGUMENTS-TOO-LONG" for record in records)


def log(world: World) -> list[str]:
    return [line[3] for line in world.tables.logs.get(("default/p", "app"), ())]


def test_container_with_too_long_a_variable_starts_and_ends_at_once_with_the_words_of_the_runtime():
    world, records = run(header(pod(container("sleep 100", env=DOUBLING))), 3)
    assert refused(records)
    assert log(world)[0] == "exec /bin/sh: argument list too long"
    assert any(text.startswith("Started: ") for text in events(records))
    assert world.tables.instances["default/p"][0].reason == "Error"


def test_doubling_variables_are_not_built_to_their_end():
    tracemalloc.start()
    run(header(pod(container("sleep 100", env=DOUBLING))), 30)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50 << 20


def test_variable_that_is_set_again_to_something_short_does_no_harm():
    again = [*DOUBLING[:20], *({"name": f"E{n}", "value": "short"} for n in range(13, 20))]
    world, records = run(header(pod(container("echo $E19; sleep 100", env=again))), 3)
    assert not refused(records)
    assert log(world) == ["short"]


@pytest.mark.parametrize(
    "fields",
    [
        {"env": [{"name": f"V{n}", "valueFrom": FROM_CONFIG} for n in range(22)]},
        {"env": [{"name": "A", "valueFrom": FROM_CONFIG}, {"name": "B", "value": "$(A)$(A)"}]},
        {"env": [{"name": "A", "valueFrom": FROM_CONFIG}], "args": ["$(A)"] * 21},
        {"envFrom": [{"configMapRef": {"name": "c"}, "prefix": f"p{n}"} for n in range(22)]},
        {"env": [{"name": "A", "valueFrom": FROM_CONFIG}], "command": ["$(A)$(A)"]},
    ],
    ids=["many variables", "one variable", "many arguments", "a ConfigMap many times", "the command"],
)
def test_whatever_makes_arguments_and_environment_too_long_ends_the_container(fields):
    assert refused(run(header(CONFIG, pod(container("sleep 100", **fields))), 3)[1])


def test_missing_key_is_reported_even_if_everything_before_it_is_too_long():
    missing = {"name": "Z", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "none"}}}
    _, records = run(header(CONFIG, pod(container(env=[*DOUBLING, missing]))), 3)
    assert "Failed: Error: couldn't find key none in ConfigMap default/c" in events(records)


def test_keys_are_looked_at_only_up_to_a_limit():
    keys = {**CONFIG, "data": {f"{n:04}-no-name": "x" for n in range(1000)}}
    sources = [{"configMapRef": {"name": "c"}, "prefix": "="} for _ in range(NAMES_CHARS_MAX // 14_000 + 1)]
    assert refused(run(header(keys, pod(container("sleep 100", envFrom=sources))), 3)[1])


def test_run_keeps_only_so_much_of_the_environments_of_all_its_containers(monkeypatch):
    monkeypatch.setattr(launch, "RUN_CHARS_MAX", 500_000)
    env = [{"name": "A", "valueFrom": FROM_CONFIG}]
    names = ("a", "b", "c", "d", "e", "f")
    world, records = run(header(CONFIG, pod(*(container("sleep 100", name=name, env=env) for name in names))), 5)
    ended = [record.subject for record in records if record.trigger == "process_exited"]
    assert ended[0] == "container/default/p/e" and ended[1] == "container/default/p/f"
    kept = sum(len(text) for item in world.tables.instances["default/p"] for _, text in item.process.launch.env)
    assert kept < 500_000 + 4 * WORD_BYTES_MAX


def test_expansion_stops_where_its_result_is_long_enough():
    values = {"A": "a" * 10}
    assert expand("$(A)" * 10_000, values, chars_max=25) == "a" * 25
    assert expand("$(A)-$(B)-$$(A)-$x-$", values) == "aaaaaaaaaa-$(B)-$(A)-$x-$"


@pytest.mark.parametrize("text", ["$(" * 200_000, "$(a " * 100_000 + ")", "$" * 200_000], ids=["never closed", "closed late", "dollars"])
def test_expansion_of_what_is_not_closed_takes_time_that_grows_with_its_length_only(text):
    assert expand(text, {"A": "x"}, chars_max=1 << 30) == text.replace("$$", "$")


def test_kernel_counts_bytes_with_their_end_and_a_pointer():
    longest = "é" * (WORD_BYTES_MAX // 2 - 1) + "a"
    assert not exceeds_limits((longest,), {})
    assert exceeds_limits((longest + "a",), {})
    assert exceeds_limits((), {"A": longest[:-1]}) and not exceeds_limits((), {"A": longest[:-2]})
    assert exceeds_limits(["x" * 7] * (ALL_BYTES_MAX // 16 + 1), {}) and not exceeds_limits(["x" * 7] * (ALL_BYTES_MAX // 16), {})
