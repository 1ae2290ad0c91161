"""The call budget of canonical runs, in calls of the project's own functions: exact on every machine, however fast it is."""

from pathlib import Path

import pytest

from simulator.bench.budget import against, ledger
from simulator.bench.budget.ledger import Agreed

FIGURES = Path(__file__).with_name("budget.toml")


def test_canonical_runs_call_as_many_functions_as_was_agreed(request):
    runs = ledger.play_in(ledger.TREE, "calls", "small")
    agreed = ledger.read(FIGURES)
    if request.config.getoption("--golden-rewrite"):
        FIGURES.write_text(ledger.written({name: ledger.counted_now(run, agreed.get(name)) for name, run in runs.items()}))
        return
    told = ledger.complaints(runs, agreed)
    assert not told, "\n".join(told)
    assert list(agreed) == list(runs)
    assert all(run.reason for run in agreed.values())


def run_of(records: int = 100, **functions: int) -> dict:
    return {"records": records, "functions": functions}


AGREED = {"ready": Agreed(records=100, calls=1000, reason="", functions={"sync": 900, "look": 100})}


@pytest.mark.parametrize("calls", [870, 930])
def test_three_percent_either_way_is_not_a_complaint(calls):
    assert not ledger.complaints({"ready": run_of(sync=calls, look=100)}, AGREED)


@pytest.mark.parametrize(
    ("run", "first"), [(run_of(sync=931, look=100), "  +31 to 931  sync"), (run_of(sync=869, look=100), "  -31 to 869  sync")]
)
def test_complaint_names_the_function_that_changed(run, first):
    assert ledger.complaints({"ready": run}, AGREED)[1] == first


def test_function_that_is_new_is_reported_with_its_calls():
    assert ledger.complaints({"ready": run_of(sync=900, look=100, again=50)}, AGREED)[1:] == ["  +50 to 50  again"]


def test_records_have_a_budget_too():
    assert ledger.complaints({"ready": run_of(104, sync=900, look=100)}, AGREED)


def test_figures_are_read_as_they_were_written(tmp_path):
    (tmp_path / "figures.toml").write_text(ledger.written(AGREED))
    assert ledger.read(tmp_path / "figures.toml") == AGREED


def test_other_commit_is_played_next_to_this_tree_and_its_worktree_goes(monkeypatch):
    trees = []

    def played(tree, how, scale, names):
        trees.append(tree)
        assert (tree / "simulator" / "engine").is_dir()
        half = 1 if tree == ledger.TREE else 2
        return {"service": run_of(sync=500 * half) if how == "calls" else {"records": 100, "seconds": 0.5 * half}}

    monkeypatch.setattr(against, "RUNS", {"service": ()})
    monkeypatch.setattr(against, "play_in", played)
    (line,) = against.report("HEAD")
    assert "CPU 0.50 × (0.500 s, 1.000 s), calls 0.50 × (500, 1,000)" in line
    assert trees[2:] == [trees[1], ledger.TREE, ledger.TREE, trees[1]] * (against.ROUNDS // 2)
    assert not trees[1].exists()


def test_unknown_commit_is_said_in_gits_words():
    with pytest.raises(against.NoSuchCommit, match="invalid reference"):
        list(against.report("no-such-commit"))
