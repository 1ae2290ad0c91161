"""``manage.py levels check``: what it reads, prints and exits with."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from simulator.management.commands.levels import Command

LEVEL = """
title = "t"
story = "hello-pod"
horizon = 30
seeds = [42, 7]

[[check]]
id = "gone"
eventually = { machine = "object", subject = "pod/default/*", target = "gone" }

[[solution]]
name = "delete"
expect = "pass"
acts = [{ at = 5, do = "delete_pod", target = "default/hello", grace_s = 1 }]
"""


def checked(*paths, **options):
    """What is printed, and the exit code."""
    out = StringIO()
    try:
        call_command("levels", "check", *map(str, paths), stdout=out, **options)
    except SystemExit as stop:
        return out.getvalue(), stop.code
    return out.getvalue(), 0


@pytest.mark.parametrize("words", [["--json", "a.toml", "b"], ["a.toml", "b", "--json"]])
def test_option_may_stand_before_the_paths_or_behind(words):
    found = Command().create_parser("manage.py", "levels").parse_args(["check", *words])
    assert (found.json, found.paths) == (True, ["a.toml", "b"])


def test_level_that_keeps_its_promise_passes(tmp_path):
    (tmp_path / "a.toml").write_text(LEVEL)
    printed, code = checked(tmp_path)
    assert ("Levels: 1. Plays: 4. Levels with problems: 0." in printed, code) == (True, 0)


def test_byte_order_mark_is_no_part_of_the_text(tmp_path):
    (tmp_path / "a.toml").write_text(LEVEL, encoding="utf-8-sig")
    assert checked(tmp_path)[1] == 0


def test_bad_file_does_not_keep_the_others_from_being_checked(tmp_path):
    (tmp_path / "a.toml").write_text(LEVEL.replace("= 30", '= "half a minute"'))
    (tmp_path / "b.toml").write_text(LEVEL)
    printed, code = checked(tmp_path)
    assert ("! horizon: 'half a minute' is no span" in printed, "Plays: 4." in printed, code) == (True, True, 1)


def test_tests_of_files_of_one_name_are_told_apart(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "same.toml").write_text(LEVEL)
    names = [test["name"] for test in json.loads(checked(tmp_path, json=True)[0])["tests"]]
    assert (len(names), len(set(names))) == (8, 8)


def test_play_that_goes_otherwise_is_a_test_that_fails_and_a_file_that_is_no_level_an_error(tmp_path):
    wrong = LEVEL[LEVEL.index("\n[[solution]]") :].replace('"pass"', '"fail"').replace("delete", "wrong", 1)
    (tmp_path / "a.toml").write_text(LEVEL + wrong)
    (tmp_path / "b.toml").write_text("title = 3")
    found = json.loads(checked(tmp_path, json=True)[0])["tests"]
    plays = {test["name"].split(" · ")[1]: test["status"] for test in found if test["name"].endswith("seed 7")}
    assert (plays, found[-1]["status"]) == ({"delete": "pass", "wrong": "fail", "nothing": "pass"}, "error")
    assert all(("message" in test) is (test["status"] != "pass") for test in found)


def test_folder_without_levels_is_no_success(tmp_path):
    with pytest.raises(CommandError, match="There is no level in the folder"):
        checked(tmp_path)
