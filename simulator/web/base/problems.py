"""Problems with a manifest, as shown on pages without scripts: the worst first, each with its line."""

from typing import Any

from simulator.manifests.check.gathered import gathered
from simulator.manifests.editor.diagnostics import Diagnostic, TextReport
from simulator.manifests.problems import Problem

_LINE_MAX = 200


def problem_rows(problems: tuple[Problem, ...], text: str) -> list[dict[str, Any]]:
    """Problems for a page: errors first, identical notes merged, each with the text of its line (cut to 200 characters)."""
    lines = text.splitlines()
    return [{**_row(problem, problem.column, lines), "message": message} for problem, message in gathered(problems)]


def report_rows(report: TextReport, text: str) -> list[dict[str, Any]]:
    """All findings of a report for a page: what the API server would reject, what will cause trouble, what it fills in."""
    lines = text.split("\n")
    return [
        {
            **_row(found, found.col, lines),
            "message": message,
            "why": found.why,
            "doc": found.doc,
            "fixes": [fix.title for fix in found.quickfix],
        }
        for found, message in gathered(report.diagnostics)
    ]


def _row(problem: Problem | Diagnostic, column: int, lines: list[str]) -> dict[str, Any]:
    return {
        "line": problem.line,
        "column": column,
        "severity": problem.severity,
        "message": problem.message,
        "path": problem.path,
        "text": lines[problem.line - 1][:_LINE_MAX] if 0 < problem.line <= len(lines) else "",
    }
