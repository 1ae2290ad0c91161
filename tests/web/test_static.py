"""What the browser is sent: vendored files are unmodified, nothing comes from elsewhere, colours are defined in one place."""

import base64
import hashlib
import json
import re
import tomllib
from pathlib import Path

from simulator.engine.acts.all_acts import ACTS
from simulator.manifests.read.nodes import MANIFEST_LIMITS

STATIC = Path(__file__).resolve().parents[2] / "static"
SCRIPTS = sorted((STATIC / "js").rglob("*.js"))
STYLES = sorted((STATIC / "css").rglob("*.css"))
VENDOR = tomllib.loads((STATIC / "vendor" / "VENDOR.toml").read_text())


def vendored_files() -> dict[str, str]:
    return {file["path"]: file["integrity"] for package in VENDOR["package"] for file in package["file"]}


def found(pattern: str, files: list[Path]) -> list[str]:
    return [f"{path.name}: {match}" for path in files for match in re.findall(pattern, path.read_text())]


def test_vendored_file_matches_its_hash() -> None:
    for path, integrity in vendored_files().items():
        digest = hashlib.sha384((STATIC / "vendor" / path).read_bytes()).digest()
        assert f"sha384-{base64.b64encode(digest).decode()}" == integrity, path


def test_vendor_folder_holds_only_listed_files_and_licences() -> None:
    files = {str(path.relative_to(STATIC / "vendor")) for path in (STATIC / "vendor").rglob("*") if path.is_file()}
    assert {path for path in files if not path.endswith(("LICENSE", "VENDOR.toml"))} == set(vendored_files())


def test_editor_opens_files_as_large_as_the_site_takes_and_says_how_large_that_is() -> None:
    text = (STATIC / "js" / "editor" / "files.js").read_text()
    (size,) = re.findall(r"^export const SIZE_MAX = ([0-9_]+);$", text, re.MULTILINE)
    assert int(size) == MANIFEST_LIMITS.bytes_max
    assert f"larger than {MANIFEST_LIMITS.bytes_max // 1_000_000} MB." in (STATIC / "js" / "editor" / "messages.js").read_text()


def test_bundle_is_listed_with_the_versions_it_is_built_from() -> None:
    lock = json.loads((STATIC / "editor-src" / "package-lock.json").read_text())["packages"]
    bundled = [part for package in VENDOR["package"] for part in package.get("bundled", [])]
    assert bundled
    assert all(lock[f"node_modules/{part['npm']}"]["integrity"] == part["tarball_integrity"] for part in bundled)


def test_bundle_comes_with_the_licence_of_every_part() -> None:
    for package in VENDOR["package"]:
        text = (STATIC / "vendor" / f"{package['name']}@{package['version']}" / "LICENSE").read_text()
        assert [part["npm"] for part in package.get("bundled", []) if f"{part['npm']} {part['version']}" not in text] == []


def test_script_and_style_name_no_other_origin() -> None:
    assert found(r"https?://(?!www\.w3\.org/)[^\s\"')]+", SCRIPTS + STYLES) == []


def test_script_evaluates_no_text_and_sets_no_markup_of_its_own() -> None:
    assert found(r"\beval\(|new Function|\.insertAdjacentHTML|document\.write", SCRIPTS) == []


def test_sprite_has_the_icons_of_acts_and_templates_and_no_others() -> None:
    templates = STATIC.parent / "templates"
    symbols = set(re.findall(r'<symbol id="icon-([\w-]+)"', (templates / "partials" / "_icons.html").read_text()))
    named = {name for path in templates.rglob("*.html") for name in re.findall(r'{% icon "([\w-]+)"', path.read_text())}
    assert symbols == named | {act.icon for act in ACTS}


def test_import_call_names_a_file_that_collectstatic_finds() -> None:
    calls = [(path, name) for path in SCRIPTS for name in re.findall(r"import\(\s*[\"']([^\"']+)[\"']\s*\)", path.read_text())]
    assert [f"{path.name}: {name}" for path, name in calls if not (path.parent / name).is_file()] == []


def test_module_stays_short() -> None:
    """Comments do not count: a module that needs twenty lines of theory is not considered longer for them."""
    assert [path.name for path in SCRIPTS if len(lines_of_code(path)) > 260] == []


def lines_of_code(path: Path) -> list[str]:
    text = re.sub(r"^\s*/\*\*?.*?\*/", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
    return [line for line in text.splitlines() if line.strip() and not line.strip().startswith("//")]


def test_raw_colour_lives_only_in_tokens() -> None:
    assert found(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(", [path for path in STYLES if path.name != "tokens.css"]) == []


def test_message_is_one_line_with_a_unique_key() -> None:
    files = (STATIC / "js").rglob("messages.js")
    lines = [line for path in files for line in path.read_text().split("MESSAGES = {")[1].split("\n};")[0].strip("\n").splitlines()]
    keys = [match[1] for line in lines if (match := re.fullmatch(r'  "([a-z0-9_.]+)": "(.*)",', line.rstrip()))]
    assert len(keys) == len(lines) == len(set(keys))


def test_style_of_what_holds_the_page_does_not_depend_on_what_is_in_it() -> None:
    """Every change inside such an element would restyle all of it, many times per second while a run plays."""
    assert found(r"(?:^|[\s,}])(?:html|body|main|:root|\.run|\.transport)(?![\w-])[^\s,>+~{]*:has\(", STYLES) == []
