"""Command lines of cmd and PowerShell, translated into the interpreted shell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.engine.containers.programs.windows_scripts import CHARS_MAX, from_cmd, from_powershell
from simulator.engine.containers.unsupported import Unsupported

ENV = {"USERNAME": "ContainerUser"}
PIECES = st.sampled_from(
    [
        "echo ",
        "exit ",
        "ping ",
        "& ",
        "&& ",
        "|| ",
        '"',
        "'",
        "%USERNAME%",
        "$env:USERNAME",
        "while ($true) {",
        "}",
        ";",
        "\n",
        "<#",
        "#>",
        "(",
        ")",
    ]
    + ["Start-Sleep 1", "Write-Host ", "a", " ", "-", "`", "$", "| "]
)


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("echo hello  world", "printf '%s\\n' 'hello  world'"),
        ("echo.", "printf '%s\\n' ''"),
        ('echo "a & b" & exit /b 3', "printf '%s\\n' '\"a & b\"' ; exit 3"),
        ("ping.exe -n 2 localhost || exit 1", "ping.exe -n 2 localhost || exit 1"),
        ("@echo %username% %NOBODY%", "printf '%s\\n' 'ContainerUser %NOBODY%'"),
        ('powershell -Command "exit 4"', "powershell -Command 'exit 4'"),
    ],
)
def test_cmd(text: str, script: str) -> None:
    assert from_cmd(text, ENV) == script


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("<# why #> Write-Host('a; b') # said", None),
        ("Write-Host('a; b'); # said", "printf '%s\\n' 'a; b'"),
        ("'one'\n\"two $env:UserName\"", "printf '%s\\n' one\nprintf '%s\\n' 'two ContainerUser'"),
        ("Start-Sleep -Milliseconds 1500; exit", "sleep 1.500\nexit 0"),
        ("for (;;) { Start-Sleep -s 5 }", "while true\ndo\nsleep 5\ndone"),
        ("while (1) { while ($true) { sleep 2 } }", "while true\ndo\nwhile true\ndo\nsleep 2\ndone\ndone"),
        (
            "$x = New-Object System.Net.HttpListener; $x.Prefixes.Add('http://*:8080/'); echo up; while ($x.IsListening) {}",
            "printf '%s\\n' up\nHttpListener 8080",
        ),
    ],
)
def test_powershell(text: str, script: str | None) -> None:
    if script is None:
        with pytest.raises(Unsupported):
            from_powershell(text, ENV)
    else:
        assert from_powershell(text, ENV) == script


@pytest.mark.parametrize("text", ["dir", "echo a > b", "for %i in (1) do echo", "x" * (CHARS_MAX + 1), "echo %LONG%%LONG%"])
def test_cmd_that_is_not_understood(text: str) -> None:
    with pytest.raises(Unsupported):
        from_cmd(text, {"LONG": "x" * CHARS_MAX})


@pytest.mark.parametrize(
    "text",
    ["Get-Process", "Write-Host $x", "echo a | Out-Null", "$x = 1", "if ($true) { exit 1 }", "while ($true) {" * 30 + "}" * 30, "{" * 999],
)
def test_powershell_that_is_not_understood(text: str) -> None:
    with pytest.raises(Unsupported):
        from_powershell(text, {})


@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_text_is_put_into_a_script_or_said_not_to_be_understood(text: str) -> None:
    for translated in (from_cmd, from_powershell):
        try:
            assert isinstance(translated(text, ENV), str)
        except Unsupported:
            continue
