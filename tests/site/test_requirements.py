"""Every package a site installs is in the requirements with its exact version, including indirect dependencies."""

import re
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
FILES = [f"requirements{each}.txt" for each in ("", "-production", "-lti", "-dev", "-audit")]


def lines(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    return [line.partition("#")[0].strip() for line in text.splitlines() if line.partition("#")[0].strip()]


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(name):
    """The packages of a file and of those that it includes, with their versions."""
    found = {}
    for line in lines(name):
        if line.startswith("-r "):
            found |= pinned(line.removeprefix("-r "))
        else:
            package, _, exact = line.partition("==")
            found[normal(package)] = exact
    return found


def brought_along(package, extras):
    """The dependencies of an installed package on this machine."""
    for text in requires(package) or []:
        requirement = Requirement(text)
        wanted = [requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras)] if requirement.marker else [True]
        if any(wanted):
            yield normal(requirement.name), requirement.extras


@pytest.mark.parametrize("name", FILES)
def test_every_requirement_names_one_version(name):
    wanted = [line for line in lines(name) if not line.startswith("-r ")]
    assert [line for line in wanted if not re.fullmatch(r"[A-Za-z0-9_.\-]+==[A-Za-z0-9.]+", line)] == []


def test_everything_that_a_site_installs_is_named():
    named, seen = pinned("requirements-production.txt"), set()
    waiting = [(package, frozenset()) for package in named]
    while waiting:
        package, extras = waiting.pop()
        if (package, extras) in seen:
            continue
        seen.add((package, extras))
        try:
            waiting += [(needed, frozenset(more)) for needed, more in brought_along(package, extras)]
        except PackageNotFoundError:
            assert package not in named, f"{package} is not installed"
    assert {package for package, _ in seen} - set(named) <= {"tzdata", "setuptools"}  # dependencies of Windows and of Python itself


def test_what_is_installed_is_what_is_named():
    named = pinned("requirements-production.txt")
    assert {package: version(package) for package in named} == named
