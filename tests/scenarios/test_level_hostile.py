"""Any level that somebody sends is refused with a clear message, or is small enough to be played."""

import time

import pytest

from simulator.levels.reading import BadLevel, read_level

HEAD = 'title = "t"\nhorizon = "9s"\nstory = "hello-pod"\n'
CHECK = '[[check]]\nid = "a"\nnever = { machine = "stop" }\n'
QUICK_S = 5
"""For a slow machine under load; on an idle one, the slowest of these takes 1.4 s."""


def refused(text):
    begun = time.perf_counter()
    with pytest.raises(BadLevel) as caught:
        read_level(text)
    assert time.perf_counter() - begun < QUICK_S
    assert len(str(caught.value)) < 2000
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (HEAD + 'brief = "' + "a" * 10_000_000 + '"', "512 kB"),
        (HEAD + "[[check]]\n" * 1_000_000, "512 kB"),
        (HEAD + "[[check]]\n" * 50_000, "check[0]"),
        (HEAD + "".join(f'[[check]]\nid = "a{n}"\nnever = {{}}\n' for n in range(12_000)), "checks: at most 30"),
        (HEAD + "seeds = " + "[" * 200_000, "nested"),
        (HEAD + "gates = " + "{a=" * 100_000, "nested"),
        (HEAD + "a" + ".a" * 200_000 + " = 1", "line 4: a key"),
        (HEAD + "x = { a" + ' . "a"' * 50_000 + " = 1 }", "line 4: a key"),
        (HEAD + "[a" + ".a" * 20_000 + "]", "line 4: a key"),
        (HEAD + "order = " + "9" * 400_000, "digits"),
        (HEAD + CHECK + '[[check]]\nid = "b"\nnever = { subject = "' + "*" * 200_000 + '" }', "check[1].never.subject"),
        (HEAD + '[[check]]\nid = "b"\nnever = { subject = "' + "*a" * 40 + '" }', "20 stars"),
        (HEAD + f'[[check]]\nid = "b"\nnever = {{ target = {["a"] * 1000} }}', "30 values"),
        (HEAD + CHECK + f"after = {{ data = {{ x = {[1] * 1000} }} }}", "check[0].after"),
        (HEAD + '[[check]]\nid = "b"\nnever = { data = {' + ", ".join(f"k{n} = 1" for n in range(5000)) + "} }", "30 values"),
        (HEAD.replace("9s", "8760h") + CHECK, "7200 s"),
        (HEAD.replace("9s", "999999999h") + CHECK, "7200 s"),
        (HEAD + "seeds = [1, 2, 3, 4, 5, 6]\n" + CHECK, "seeds: from 1 to 5"),
        (HEAD + 'sources = [{ title = "x", url = "javascript:alert(1)" }]\n' + CHECK, "sources[0].url"),
        (HEAD + 'sources = [{ title = "x", url = \'https://x/" onclick="y\' }]\n' + CHECK, "sources[0].url"),
        (HEAD.replace('"t"', '"' + "x" * 400_000 + '"') + CHECK, "title"),
        (HEAD + CHECK + "[[happens]]\nat = 1979-05-27\ndo = 'delete_pod'\ntarget = 'a'\n", "happens[0]"),
        (HEAD + 'brief = "\x01"\n' + CHECK, "TOML"),
    ],
)
def test_hostile_text_is_refused_soon_and_with_its_place(text, word):
    assert word in refused(text)
