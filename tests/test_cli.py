"""Commands as a person types them: what they print, and one line with exit code 2 for every mistake."""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import metasmith as ms
from metasmith import cli
from metasmith.designers.training import Training
from metasmith.experiments import pages
from metasmith.measuring import Race
from metasmith.runs.folder import Folder
from metasmith.runs.spec import EFFORTS, Settings


def metasmith(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, output and errors of a command, run in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["metasmith", *words])
        with pytest.raises(SystemExit) as ended:
            cli.main()
    printed = capsys.readouterr()
    return int(ended.value.code or 0), printed.out, printed.err


def test_solve_prints_the_fields_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = metasmith(
        capsys, "solve", "pbo:F1@40", "--with", "rls", "--evaluations", "900", "--runs", "3", "--seed", "5", "--json"
    )
    found = json.loads(out)
    assert code == 0
    assert list(found) == ["problem", "algorithm", "evaluations", "runs", "mean", "std"]
    assert [run["seed"] for run in found["runs"]] == [5, 6, 7]
    assert all(run["evaluations"] == 900 and 0 < run["hit"] <= 900 and run["best"] == 40 for run in found["runs"])
    assert (found["mean"], found["std"]) == (40, 0)


def test_solve_shows_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = metasmith(capsys, "solve", "pbo:F1@40", "--with", "rls", "--evaluations", "900", "--runs", "2")
    assert code == 0
    assert "rls on pbo:F1@40#1: 40 bits, maximise" in out
    assert "mean 40" in out
    assert "optimum 40" in out


def test_solve_logs_its_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        "solve",
        "pbo:F1@40#3",
        "--with",
        "rls",
        "--evaluations",
        "300",
        "--runs",
        "3",
        "--log-ioh",
        str(tmp_path / "logs"),
        "--json",
    )
    printed = [metasmith(capsys, *words)[1] for _ in range(2)]
    logs = [json.loads(file.read_text()) for file in (tmp_path / "logs").glob("*/*.json")]
    assert printed[0] == printed[1]
    assert {path.name for path in (tmp_path / "logs").iterdir()} == {"rls-pbo-F1-40-3", "rls-pbo-F1-40-3-1"}
    problem, found = ms.problem("pbo:F1@40#3"), json.loads(printed[0])
    for log in logs:
        runs = [run for scenario in log["scenarios"] for run in scenario["runs"]]
        assert [run["seed"] for run in runs] == [0, 1, 2]
        assert [run["best"]["y"] for run in runs] == pytest.approx(
            [problem.original(run["best"]) for run in found["runs"]]
        )


def test_solve_refuses_a_folder_for_logs_before_it_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import metasmith as ms\ndef never(x):\n    raise SystemError\nproblem = ms.Problem(never, ms.Bits(3))\n"
    )
    code, out, err = metasmith(capsys, "solve", f"{file}:problem", "--log-ioh", str(file))
    assert (code, out) == (2, "")
    assert err == f"metasmith: cannot write logs to '{file}': File exists; name a folder that can be written to\n"


def test_solve_explains_the_best_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = metasmith(
        capsys, "solve", "restoration:test", "--with", "aldes-restoration", "--evaluations", "300", "--runs", "2"
    )
    best = min(float(line.split()[1]) for line in out.splitlines()[2:4])
    assert code == 0
    assert "violation" in out.splitlines()[1]
    assert out.splitlines()[5].startswith("plan: ")
    assert float(out.splitlines()[5].split()[1]) <= best
    assert "unit 35 starts by itself and cranks" in out
    file = tmp_path / "mine.py"
    file.write_text("import metasmith as ms\nodd = ms.Problem(sum, ms.Bits(3), explain=lambda x: 1 / 0, name='odd')\n")
    code, out, err = metasmith(capsys, "solve", f"{file}:odd", "--evaluations", "5")
    assert (code, err) == (2, "metasmith: odd: explain raised ZeroDivisionError: division by zero\n")


def test_solve_draws_the_best_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (
        "solve",
        "restoration:test",
        "--with",
        "aldes-restoration",
        "--evaluations",
        "300",
        "--runs",
        "2",
        "--picture",
    )
    code, out, _ = metasmith(capsys, *words, str(tmp_path / "plan.svg"))
    assert code == 0
    assert out.endswith(f"wrote {tmp_path / 'plan.svg'}\n")
    (said,) = [line for line in out.splitlines() if line.startswith("plan: ")]
    assert said[:40] in (tmp_path / "plan.svg").read_text()
    code, out, _ = metasmith(capsys, *words, str(tmp_path / "new" / "plan.PNG"), "--json")
    assert (code, list(json.loads(out))) == (0, ["problem", "algorithm", "evaluations", "runs", "mean", "std"])
    assert (tmp_path / "new" / "plan.PNG").read_bytes().startswith(b"\x89PNG")


OWN_PICTURES = """import metasmith as ms
from matplotlib.figure import Figure
good = ms.Problem(sum, ms.Bits(3), picture=lambda x: Figure(), name='good')
odd = ms.Problem(sum, ms.Bits(3), picture=lambda x: 1 / 0, name='odd')
blank = ms.Problem(sum, ms.Bits(3), picture=lambda x: None, name='blank')
"""


def test_a_user_may_draw_too_and_is_told_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(OWN_PICTURES)
    words, file = ("--evaluations", "5", "--picture", str(tmp_path / "own.svg")), tmp_path / "mine.py"
    assert metasmith(capsys, "solve", f"{file}:good", *words)[0] == 0
    assert "<svg" in (tmp_path / "own.svg").read_text()
    code, _, err = metasmith(capsys, "solve", f"{file}:odd", *words)
    assert (code, err) == (2, "metasmith: odd: picture raised ZeroDivisionError: division by zero\n")
    code, _, err = metasmith(capsys, "solve", f"{file}:blank", *words)
    assert (code, err) == (2, "metasmith: blank: picture must return a figure of matplotlib, got NoneType\n")


def test_a_picture_without_matplotlib_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pages, "find_spec", lambda name: None)
    code, out, err = metasmith(capsys, "solve", "restoration:test", "--picture", str(tmp_path / "plan.svg"))
    assert (code, out) == (2, "")
    assert err == "metasmith: matplotlib must be installed for this: pip install 'metasmith[results]'\n"
    assert not (tmp_path / "plan.svg").exists()


def test_lists_say_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert [row["name"] for row in json.loads(metasmith(capsys, "problems", "--json")[1])][:3] == [
        "beamforming",
        "pbo:F1",
        "pbo:F2",
    ]
    names = {row["name"] for row in json.loads(metasmith(capsys, "components", "--json")[1])}
    assert {"reset_n(n)", "tournament", "greedy_select"} <= names
    assert {"ea", "rls", "ils", "sa", "ts", "ga", "umda", "ghc", "fga", "random", "aldes-f1"} <= {
        row["name"] for row in json.loads(metasmith(capsys, "algorithms", "--json")[1])
    }
    assert "S_new = reset_n(S, n=1)" in metasmith(capsys, "algorithms", "aldes-f1")[1]
    assert "LeadingOnes" in metasmith(capsys, "problems")[1]


def test_landscape_prints_json_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = metasmith(capsys, "landscape", "pbo:F18@100#7", "--seed", "3", "--json")
    found, expected = json.loads(out), ms.landscape("pbo:F18@100#7", seed=3)
    assert (code, err) == (0, "")
    assert list(found) == ["problem", "seed", "evaluations", "factors", "nearest"]
    assert (found["problem"], found["seed"], found["evaluations"]) == ("pbo:F18@100#7", 3, 10_000)
    assert {factor["name"]: factor["value"] for factor in found["factors"]} == expected.factors
    assert [factor["scaled"] for factor in found["factors"]] == expected.scaled.tolist()
    assert [list(near) for near in found["nearest"]] == [["problem", "distance"]] * 3
    assert found["nearest"][0]["problem"] == "pbo:F18"


def test_landscape_shows_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(
        "import metasmith as ms\nown = ms.Problem(sum, ms.Integers(4, 9), direction='min', name='own')\n"
    )
    code, out, err = metasmith(capsys, "landscape", f"{tmp_path}/mine.py:own")
    expected = ms.landscape(f"{tmp_path}/mine.py:own")
    first, head, *factors, last = out.splitlines()
    assert (code, err) == (0, "")
    assert first == "own: 9 integers of 4 values, minimise; 10,000 evaluations, seed 0"
    assert head.split() == ["factor", "value", "as", "the", "network", "sees", "it"]
    assert [line.split()[0] for line in factors] == list(expected.factors)
    assert [float(line.split()[1]) for line in factors] == pytest.approx(list(expected.factors.values()), rel=1e-5)
    assert [float(line.split()[2]) for line in factors] == pytest.approx(expected.scaled.tolist(), abs=6e-4)
    assert last.startswith("nearest: pbo:F")
    assert last.count(" at ") == 3


def test_a_landscape_of_a_problem_that_fails_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.py").write_text(
        "import metasmith as ms\nodd = ms.Problem(lambda x: 1 / 0, ms.Bits(9), name='odd')\n"
    )
    code, out, err = metasmith(capsys, "landscape", f"{tmp_path}/mine.py:odd")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "ZeroDivisionError" in err


def test_reproduce_says_which_experiments_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (("reproduce",), ("reproduce", "--help")):
        code, out, err = metasmith(capsys, *words)
        assert (code, err) == (0, "")
        assert "designs" in out
        assert "identification" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("solve", "pbo:F24"), "there is no problem 'pbo:F24'; did you mean"),
        (("solve", "restoration:tset"), "there is no problem 'restoration:tset'; did you mean 'restoration:test'?"),
        (("solve", "pbo:F20@99"), "square number"),
        (("solve", "pbo:F2#101"), "101"),
        (("solve", "pbo:F2", "--evaluations", "-5"), "at least 1 evaluation, a whole number, got -5"),
        (("solve", "pbo:F2", "--evaluations", "many"), "--evaluations"),
        (("solve", "pbo:F2", "--runs", "0"), "at least 1 run"),
        (("solve", "pbo:F2", "--workers", "0"), "workers must be at least 1"),
        (("solve", "pbo:F2", "--population", "0"), "a population from 1 to"),
        (("solve", "pbo:F2", "--with", "rsl"), "did you mean 'rls'?"),
        (("solve", "pbo:F2", "--with", "nowhere.txt"), "cannot read the algorithm file 'nowhere.txt'"),
        (("solve", "pbo:F2", "--with", "population 1; reset_n(n=0)"), "line 2:"),
        (("solve", "nowhere.py:mine"), "there is no file 'nowhere.py'"),
        (("solve", "pbo:F2", "--picture", "plan.svg"), "pbo:F2@625#1 has no picture; leave out --picture, or give"),
        (
            ("solve", "restoration:test", "--picture", "plan.jpg"),
            "a picture is a file whose name ends in .svg, .png, .pdf; got 'plan.jpg'",
        ),
        (("solve", "restoration:test", "--picture", f"{__file__}/plan.svg"), "cannot write"),
        (("solve",), "problem"),
        (("sovle", "pbo:F2"), "sovle"),
        (("solve", "pbo:F2", "--bananas"), "--bananas"),
        (("bench", "--write", f"{__file__}/page.md"), "cannot write"),  # told before the work, not after
        (("references", "--write", f"{__file__}/page.md"), "cannot write"),
        (("algorithms", "eaa"), "did you mean 'ea'?"),
        (("landscape", "pbo:F24"), "there is no problem 'pbo:F24'; did you mean"),
        (("landscape", "nowhere.py:mine"), "there is no file 'nowhere.py'"),
        (("landscape", "pbo:F2@100", "--seed", "one"), "--seed"),
        (("landscape",), "problem"),
        (("reproduce", "desings"), "there is no experiment 'desings'; did you mean 'designs'?"),
        (
            ("reproduce", "nothing"),
            "there is no experiment 'nothing'; there is pbo-table, one-off-curves, algorithms, diversity, ",
        ),
        (("reproduce", "designs", "--trials", "0"), "at least 1 design of each is needed, got 0"),
        (("reproduce", "identification", "--write", f"{__file__}/page.md"), "cannot write"),
        (("reproduce", "identification", "--samples", "1"), "give at least 2, got 1"),
        (("reproduce", "identification", "--only", "F24"), "there is no function 'F24'"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = metasmith(capsys, *words)
    assert code == 2
    assert out == ""
    assert err.startswith("metasmith: ")
    assert err.count("\n") == 1
    assert said in err


def test_runs_that_fail_are_told_after_those_that_did_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import metasmith as ms\nodd = ms.Problem(lambda x: float('nan') if x[0] else 1.0, ms.Bits(9))\n")
    words = (
        "solve",
        f"{file}:odd",
        "--with",
        "population 1; reset_n(n=1)",
        "--evaluations",
        "2",
        "--runs",
        "12",
        "--json",
    )
    code, out, err = metasmith(capsys, *words)
    rows = json.loads(out)["runs"]
    assert code == 2
    assert 0 < sum("error" in row for row in rows) < 12
    assert "is not a number (NaN)" in err


def test_it_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "metasmith", "--help"], capture_output=True, text=True, check=True)
    assert "solve" in done.stdout


SOURCE = """
import metasmith as ms
from metasmith.problems import problem as p

small = ms.Task("small", training=(p("pbo:F1@30"), p("pbo:F2@40"), p("pbo:F1@40#2")), test=(p("pbo:F2@40#3"),), evaluations=400)
single = p("pbo:F2@30")
bowl = ms.Problem(lambda x: float(((x - 3) ** 2).sum()), ms.Integers(7, 6), direction="min", optimum=0, name="bowl")
odd = ms.Problem(lambda x: float("nan"), ms.Bits(9), name="odd")
number = 3
"""
SMALL = Settings(2, Training(batch=4), race=Race(finalists=2, samples=1, rounds=(1, 1)))


def small_design(task: str, **others: object) -> ms.Design:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(EFFORTS, "quick", SMALL)
        return ms.design(task, effort="quick", **others)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's file of problems and tasks."""
    path = tmp_path_factory.mktemp("mine") / "mine.py"
    path.write_text(SOURCE)
    return path


@pytest.fixture(scope="module")
def run(file: Path) -> Path:
    """The folder of a finished run."""
    small_design(f"{file}:small", out=file.parent / "run")
    return file.parent / "run"


@pytest.fixture(scope="module")
def unfinished(run: Path) -> Path:
    """The folder of a run that was killed after its first batch."""

    def tell(event: object) -> None:
        if getattr(event, "step", 0) == 1:
            raise KeyboardInterrupt

    path = run.parent / "unfinished"
    with pytest.raises(KeyboardInterrupt):
        small_design(f"{run.parent}/mine.py:small", out=path, tell=tell)
    return path


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """What to say for a design that takes a moment."""
    monkeypatch.setitem(EFFORTS, "quick", SMALL)
    return "--effort", "quick"


def test_design_prints_json_for_machines(
    file: Path, run: Path, quick: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    out = run.parent / "json"
    code, printed, err = metasmith(capsys, "design", f"{file}:small", "--out", str(out), "--json", *quick)
    found = json.loads(printed)
    assert (code, err) == (0, "")
    assert list(found) == [
        "run", "task", "evaluations", "seed", "representation", "program", "pseudocode", "score", "finalists", "ledger",
        "metasmith", "commit", "digest", "resumed",
    ]  # fmt: skip
    assert found["run"] == str(out)
    assert found["task"] == f"{file}:small"
    assert json.loads((out / "design.json").read_text()) == {
        name: value for name, value in found.items() if name != "run"
    }
    assert found["program"] == str(ms.algorithm(run))


def test_design_shows_the_algorithm_its_score_and_its_cost(
    file: Path, quick: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed, err = metasmith(
        capsys, "design", f"{file}:small", "--out", str(tmp_path / "run"), "--seed", "7", *quick
    )
    assert code == 0
    assert err.startswith("spending up to ")
    for said in (
        "Input: initial solutions S",
        "population ",
        "with 400 evaluations, seed 7",
        "\nscore ",
        "\nmean ",
        "\nentropy ",
        "\ncost ",
    ):
        assert said in printed
    assert f"kept in {tmp_path / 'run'}; see also: metasmith compare" in printed


def test_design_takes_all_that_can_be_asked(
    file: Path, quick: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (
        "--evaluations",
        "90",
        "--space",
        "paper",
        "--designer",
        "random",
        "--quality",
        "anytime",
        "--workers",
        "1",
        "--seed",
        "4",
    )
    code, _, _ = metasmith(capsys, "design", f"{file}:small", *words, "--out", str(tmp_path / "run"), "--json", *quick)
    asked = Folder(tmp_path / "run").spec()
    assert code == 0
    assert (asked.evaluations, asked.space, asked.designer, asked.quality, asked.seed) == (
        90,
        "paper",
        "random",
        "anytime",
        4,
    )
    assert asked.training == SMALL.training


def test_design_finds_a_folder_of_its_own(
    file: Path,
    quick: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    folders = [json.loads(metasmith(capsys, "design", f"{file}:single", "--json", *quick)[1])["run"] for _ in range(2)]
    assert folders == ["runs/mine.py-single-0", "runs/mine.py-single-0-2"]
    assert all((tmp_path / folder / "design.json").is_file() for folder in folders)


def test_a_relative_file_is_found_from_everywhere(
    file: Path,
    quick: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(file.parent)
    assert metasmith(capsys, "design", "mine.py:single", "--out", str(tmp_path / "run"), *quick)[0] == 0
    monkeypatch.chdir(tmp_path)
    assert metasmith(capsys, "resume", "run")[0] == 0
    assert metasmith(capsys, "compare", "run", "--runs", "2")[0] == 0


def test_learn_then_show_then_design_at_once(
    file: Path, quick: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    writer = tmp_path / "writer.safetensors"
    words = ("learn", f"{file}:small", f"{file}:single", "--writer", str(writer), *quick)
    code, printed, err = metasmith(capsys, *words)
    assert code == 0
    assert err.count("spending up to ") == 4  # before and after the references
    assert f"learned {file}:small: score " in printed
    assert "tasks learned: 2" in printed
    code, printed, err = metasmith(capsys, *words, "--json")
    learned = json.loads(printed)["learned"]
    assert (code, err) == (0, "")
    assert [task["task"] for task in learned] == [f"{file}:small", f"{file}:single"]
    assert json.loads(metasmith(capsys, "show", str(writer), "--json")[1])["learned"] == learned
    assert (
        "; ".join(" ".join(line.split()) for line in learned[1]["program"].splitlines())
        in metasmith(capsys, "show", str(writer))[1]
    )
    words = ("design", f"{file}:single", "--writer", str(writer), "--effort", "none", "--out", str(tmp_path / "run"))
    code, printed, _ = metasmith(capsys, *words)
    assert code == 0
    assert "population " in printed
    assert json.loads(metasmith(capsys, "show", str(tmp_path / "run"), "--json")[1])["batches"] == 0


def test_a_writer_that_is_damaged_is_refused_in_one_line(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "writer").write_bytes(b"noise")
    for words in (
        ("show",),
        ("learn", f"{file}:small", "--writer"),
        ("design", f"{file}:small", "--out", str(tmp_path / "run"), "--writer"),
    ):
        code, printed, err = metasmith(capsys, *words, str(tmp_path / "writer"))
        assert (code, printed) == (2, "")
        assert err == f"metasmith: '{tmp_path / 'writer'}' is not a writer file, or is damaged\n"
    assert (tmp_path / "writer").read_bytes() == b"noise"


def test_resume_goes_on_and_ends_the_same(
    run: Path, unfinished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = shutil.copytree(unfinished, tmp_path / "run")
    code, printed, err = metasmith(capsys, "resume", str(path), "--json")
    found, wanted = json.loads(printed), json.loads((run / "design.json").read_text())
    assert (code, err) == (0, "")
    assert found["run"] == str(path)
    assert [found[name] for name in ("program", "score", "finalists")] == [
        wanted[name] for name in ("program", "score", "finalists")
    ]
    code, printed, _ = metasmith(capsys, "resume", str(path))
    assert code == 0
    assert f"kept in {path}" in printed


def test_resume_tells_of_damage(unfinished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = shutil.copytree(unfinished, tmp_path / "run")
    (path / "checkpoint-1.safetensors").write_bytes(b"noise")
    code, printed, err = metasmith(capsys, "resume", str(path), "--json")
    assert code == 0
    assert json.loads(printed)["run"] == str(path)
    assert err.startswith("metasmith: the checkpoint of batch 1 is damaged (")
    assert err.count("\n") == 1


def test_show_a_run_that_is_finished(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, err = metasmith(capsys, "show", str(run), "--json")
    found = json.loads(printed)
    assert (code, err) == (0, "")
    assert list(found) == ["task", "finished", "design", "batches"]
    assert (found["finished"], found["batches"]) == (True, 2)
    assert found["design"] == json.loads((run / "design.json").read_text())
    code, printed, _ = metasmith(capsys, "show", str(run))
    assert code == 0
    assert found["design"]["pseudocode"] in printed
    assert found["design"]["program"] in printed
    assert "in 2 batches" in printed


def test_show_a_run_that_is_not_finished(unfinished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(metasmith(capsys, "show", str(unfinished), "--json")[1])
    assert (found["finished"], found["design"], found["batches"]) == (False, None, 1)
    code, printed, _ = metasmith(capsys, "show", str(unfinished))
    assert code == 0
    assert f"stopped after batch 1; 'metasmith resume {unfinished}' goes on" in printed


def test_solve_with_a_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = metasmith(capsys, "solve", "pbo:F1@40", "--with", str(run), "--evaluations", "300", "--json")
    assert code == 0
    assert json.loads(printed)["mean"] == ms.solve(ms.algorithm(run), "pbo:F1@40", evaluations=300).fun


def test_export_writes_a_file_that_does_the_same(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = metasmith(capsys, "export", str(run), str(tmp_path / "own_algorithm.py"))
    assert code == 0
    assert f"wrote {tmp_path / 'own_algorithm.py'}" in printed
    specification = importlib.util.spec_from_file_location("own_algorithm", tmp_path / "own_algorithm.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    problem = ms.Problem(lambda x: float(x.sum()), ms.Bits(20), name="ones")
    found = module.optimize(problem, 20, evaluations=200, seed=3)
    assert found.nfev == 200
    assert found.fun == problem(found.x)


def test_compare_runs_the_design_beside_the_known(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, err = metasmith(capsys, "compare", str(run), "--runs", "2", "--seed", "5", "--json")
    rows = json.loads(printed)
    assert (code, err) == (0, "")
    assert [row["algorithm"] for row in rows][:3] == ["design", "rls", "ea"]
    problem = ms.problem("pbo:F2@40#3")
    for row, algorithm in zip(rows, (run, "rls"), strict=False):
        runs = ms.solve_all(algorithm, problem, evaluations=400, seeds=[5, 6])
        assert row["values"] == {"pbo:F2@40#3": [problem.original(value) for value in runs.best]}
    code, printed, _ = metasmith(capsys, "compare", str(run), "--runs", "2")
    assert code == 0
    assert printed.startswith("algorithm")
    assert "design" in printed
    assert "±" in printed


def test_ablate_takes_the_test_problems_and_evaluations_of_a_run(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, err = metasmith(capsys, "ablate", str(run), "--runs", "2", "--seed", "5", "--json")
    found, problem = json.loads(printed), ms.problem("pbo:F2@40#3")
    assert (code, err) == (0, "")
    assert found["problems"] == ["pbo:F2@40#3"]
    runs = ms.solve_all(run, problem, evaluations=400, seeds=[5, 6])
    assert found["mean"] == pytest.approx(problem.original(runs.mean))
    asked = ("--problem", "pbo:F1@20", "--runs", "2", "--seed", "5", "--json")
    scaled = json.loads(metasmith(capsys, "ablate", str(run), *asked)[1])
    assert scaled["mean"] == ms.solve_all(run, "pbo:F1@20", evaluations=200, seeds=[5, 6]).mean  # as many per variable
    fewer = json.loads(metasmith(capsys, "ablate", str(run), *asked, "--evaluations", "30")[1])
    assert fewer["mean"] == ms.solve_all(run, "pbo:F1@20", evaluations=30, seeds=[5, 6]).mean


def test_compare_logs_the_design_and_the_known(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = metasmith(capsys, "compare", str(run), "--runs", "2", "--log-ioh", str(tmp_path), "--json")
    logged = {
        found["algorithm"]["name"]: found
        for found in (json.loads(file.read_text()) for file in tmp_path.glob("*/*.json"))
    }
    assert code == 0
    assert {str(run), "rls", "ea"} < set(logged)
    for row in json.loads(printed):
        (scenario,) = logged[str(run) if row["algorithm"] == "design" else row["algorithm"]]["scenarios"]
        assert [each["best"]["y"] for each in scenario["runs"]] == pytest.approx(row["values"]["pbo:F2@40#3"])


def test_compare_works_on_integers(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small_design(f"{file}:bowl", evaluations=40, out=tmp_path / "run")
    code, printed, _ = metasmith(capsys, "compare", str(tmp_path / "run"), "--runs", "2", "--json")
    assert code == 0
    assert all(row["values"]["bowl"][0] >= 0 for row in json.loads(printed))


def test_report_writes_a_page_and_keeps_the_numbers(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("report", str(run), "--runs", "2", "--workers", "1", "--out", str(tmp_path / "new" / "page.html"))
    code, printed, err = metasmith(capsys, *words, "--json")
    found = json.loads(printed)
    assert (code, err) == (0, "")
    assert list(found) == ["run", "file", "said", "evidence"]
    text = Path(found["file"]).read_text()
    assert found["said"].startswith("An algorithm for mine.py:small: ")
    assert found["said"] in text
    before = Path(found["evidence"]).stat().st_mtime_ns
    code, printed, _ = metasmith(capsys, *words)
    assert (code, printed.splitlines()[0]) == (0, f"{found['said']}.")
    assert Path(found["evidence"]).stat().st_mtime_ns == before  # nothing is measured twice
    assert Path(found["file"]).read_text() == text
    assert not (run / "report.html").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("design", "pbo:F24"), "there is no problem 'pbo:F24'; did you mean"),
        (("design", "pbo:F2@100"), "a task has its own dimensions"),
        (("design", "pbo:F2", "--effort", "quik"), "did you mean 'quick'?"),
        (("design", "pbo:F2", "--preset", "papers"), "did you mean 'paper'?"),
        (("design", "pbo:F2", "--preset", "paper", "--effort", "quick"), "has its own effort"),
        (("design", "pbo:F2", "--space", "ful"), "did you mean 'full'?"),
        (("design", "pbo:F2", "--designer", "pop"), "did you mean 'ppo'?"),
        (("design", "pbo:F2", "--quality", "finale"), "did you mean 'final'?"),
        (("design", "pbo:F2", "--seed", "-1"), "got -1"),
        (("design", "pbo:F2", "--seed", "99999999999999999999"), "a design's seed is a whole number from 0"),
        (("design", "pbo:F2", "--seed", "one"), "--seed"),
        (("design", "pbo:F2", "--evaluations", "0"), "at least 1 evaluation, got 0"),
        (("design", "pbo:F2", "--workers", "0"), "workers must be at least 1"),
        (("design", "pbo:F2", "--efort", "quick"), "--efort"),
        (("design",), "task"),
        (("design", "nowhere.py:mine"), "there is no file 'nowhere.py'"),
        (
            ("design", "{file}:number"),
            "has no metasmith.Problem or Task called 'number'; it has: small, single, bowl, odd",
        ),
        (("design", "{file}:smal"), "it has: small, single"),
        (("design", "{file}"), "it has: small, single"),
        (("solve", "{file}:small"), "is a task, and a problem is needed; its test problems are pbo:F2@40#3"),
        (
            ("design", "{file}:small", "--out", "{run}"),
            "is not empty; 'metasmith resume {run}' goes on with the run in it",
        ),
        (("design", "{file}:small", "--out", "{file}"), "cannot write a run to '{file}'"),
        (("design", "{file}:small", "--out", "{file}/run"), "cannot write a run to '{file}/run'"),
        (("resume", "nowhere"), "'nowhere' is not the folder of a run"),
        (("show", "nowhere"), "'nowhere' is not the folder of a run"),
        (("compare", "nowhere"), "'nowhere' is not the folder of a run"),
        (("ablate", "{empty}"), "it is not the folder of a run"),
        (("ablate", "{unfinished}"), "the run in it is not finished; 'metasmith resume {unfinished}' goes on"),
        (("ablate", "{run}", "--runs", "1"), "at least 2 runs"),
        (("ablate", "{run}", "--problem", "{file}:small"), "is a task, and a problem is needed"),
        (("ablate", "rls"), "'rls' was not designed for a task; say on which problem"),
        (("ablate",), "algorithm"),
        (("diversity", "nowhere"), "'nowhere' is not the folder of a run, and there is none in it"),
        (("diversity", "{empty}"), "'{empty}' is not the folder of a run, and there is none in it"),
        (("diversity", "{unfinished}"), "the run in it is not finished; 'metasmith resume {unfinished}' goes on"),
        (("diversity",), "runs"),
        (("export", "nowhere", "file.py"), "there is no design in 'nowhere': it is not the folder of a run"),
        (("resume", "{empty}"), "'{empty}' is not the folder of a run"),
        (("show", "{empty}"), "'{empty}' is not the folder of a run"),
        (("show", "{file}"), "'{file}' is not a writer file, or is damaged"),
        (("compare", "{empty}"), "'{empty}' is not the folder of a run"),
        (("export", "{empty}", "file.py"), "it is not the folder of a run"),
        (("solve", "pbo:F1@30", "--with", "{empty}"), "it is not the folder of a run"),
        (("compare", "{unfinished}"), "the run in it is not finished; 'metasmith resume {unfinished}' goes on"),
        (
            ("export", "{unfinished}", "file.py"),
            "the run in it is not finished; 'metasmith resume {unfinished}' goes on",
        ),
        (("solve", "pbo:F1@30", "--with", "{unfinished}"), "the run in it is not finished"),
        (("compare", "{run}", "--runs", "0"), "at least"),
        (("compare", "{run}", "--log-ioh", "{file}"), "cannot write logs to '{file}'"),
        (("compare", "{run}", "--workers", "0"), "workers must be at least 1"),
        (("report", "nowhere"), "'nowhere' is not the folder of a run"),
        (("report", "{empty}"), "'{empty}' is not the folder of a run"),
        (("report", "{unfinished}"), "the run in it is not finished; 'metasmith resume {unfinished}' goes on"),
        (("report", "{run}", "--runs", "1"), "a report needs at least 2 runs of each, got 1"),
        (("report", "{run}", "--seed", "-1"), "seeds are whole numbers from 0 on, got -1"),
        (("report", "{run}", "--workers", "0"), "workers must be at least 1"),
        (("report", "{run}", "--out", "{file}/page.html"), "cannot write '{file}/page.html'"),
        (("resume", "{unfinished}", "--workers", "0"), "workers must be at least 1"),
        (("export", "{run}", "{file}/own.py"), "cannot write '{file}/own.py'"),
        (("export", "{run}"), "file"),
        (("resume",), "run"),
        (("shwo", "{run}"), "shwo"),
    ],
)
def test_a_mistake_with_a_run_is_one_line_and_exit_code_2(
    words: tuple[str, ...], said: str, file: Path, run: Path, unfinished: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    names = {"file": file, "run": run, "unfinished": unfinished, "empty": tmp_path}
    code, out, err = metasmith(capsys, *(word.format(**names) for word in words))
    assert code == 2
    assert out == ""
    assert err.startswith("metasmith: ")
    assert err.count("\n") == 1
    assert said.format(**names) in err
    assert list(tmp_path.iterdir()) == []


def test_a_problem_that_fails_says_how_to_go_on(
    file: Path, quick: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mended.py"
    mine.write_text(SOURCE)
    folder = tmp_path / "run"
    code, out, err = metasmith(capsys, "design", f"{mine}:odd", "--evaluations", "30", "--out", str(folder), *quick)
    assert (code, out) == (2, "")
    plan, said = err.splitlines()
    assert plan.startswith("spending up to ")
    assert said.startswith("metasmith: odd: the value at x = ")
    assert "is not a number (NaN)" in said
    assert said.endswith(f"; mend it, and 'metasmith resume {folder}' goes on")
    mine.write_text(SOURCE.replace('float("nan")', "float(x.sum())"))
    code, out, _ = metasmith(capsys, "resume", str(folder), "--json")
    assert code == 0
    assert json.loads(out)["score"] > 0


def test_an_interrupt_says_how_to_go_on(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*given: object, **options: object) -> None:
        raise KeyboardInterrupt

    for name, words, hint in (
        ("design", ("pbo:F2", "--out", "there"), ""),
        ("resume", (str(run),), f"; 'metasmith resume {run}' goes on"),
    ):
        monkeypatch.setattr(f"metasmith.api.{name}", interrupted)
        code, out, err = metasmith(capsys, name, *words)
        assert (code, out, err) == (130, "", f"metasmith: interrupted{hint}\n")
