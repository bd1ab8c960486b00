"""A mistake is one line that says what to do, and exit code 2; never a traceback."""

from pathlib import Path

import pytest
from cli_helpers import metasmith

UNFINISHED = "not finished; 'metasmith resume {unfinished}' goes on, 'metasmith finish {unfinished}' ends it"


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
        (("solve", "pbo:F2", "--on", "host"), "a cluster is dask://HOST:PORT or dask:SCHEDULER_FILE, got 'host'"),
        (("design", "pbo:F2", "--on", "host"), "a cluster is dask://HOST:PORT"),
        (("reproduce", "pbo-table", "--on", "host"), "a cluster is dask://HOST:PORT"),
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
        (("bench", "--write", __file__), "is there already, and metasmith did not write it; choose another name"),
        (("references", "--write", __file__), "is there already, and metasmith did not write it; choose another name"),
        (("references", "--only", ","), "name functions such as F2,F18, got ','"),
        (("reproduce", "pbo-table", "--only", " , "), "name functions such as F2,F18, got ' , '"),
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
        (("reproduce", "identification", "--write", __file__), "is there already, and metasmith did not write it"),
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
        (("ablate", "{unfinished}"), UNFINISHED),
        (("ablate", "{run}", "--runs", "1"), "at least 2 runs"),
        (("ablate", "{run}", "--problem", "{file}:small"), "is a task, and a problem is needed"),
        (("ablate", "rls"), "'rls' was not designed for a task; say on which problem"),
        (("ablate",), "algorithm"),
        (("diversity", "nowhere"), "'nowhere' is not the folder of a run, and there is none in it"),
        (("diversity", "{empty}"), "'{empty}' is not the folder of a run, and there is none in it"),
        (("diversity", "{unfinished}"), UNFINISHED),
        (("diversity",), "runs"),
        (("export", "nowhere", "file.py"), "there is no design in 'nowhere': it is not the folder of a run"),
        (("resume", "{empty}"), "'{empty}' is not the folder of a run"),
        (("show", "{empty}"), "'{empty}' is not the folder of a run"),
        (("show", "{file}"), "'{file}' is not a writer file, or is damaged"),
        (("compare", "{empty}"), "'{empty}' is not the folder of a run"),
        (("export", "{empty}", "file.py"), "it is not the folder of a run"),
        (("solve", "pbo:F1@30", "--with", "{empty}"), "it is not the folder of a run"),
        (("compare", "{unfinished}"), UNFINISHED),
        (("export", "{unfinished}", "file.py"), UNFINISHED),
        (("solve", "pbo:F1@30", "--with", "{unfinished}"), UNFINISHED),
        (("finish", "{empty}"), "'{empty}' is not the folder of a run"),
        (("design", "pbo:F1", "--evaluations", "100", "--spend", "1999"), "1,999 evaluations are too few"),
        (("design", "pbo:F1", "--minutes", "0"), "minutes must be more than 0, got 0"),
        (("compare", "{run}", "--runs", "0"), "at least"),
        (("compare", "{run}", "--log-ioh", "{file}"), "cannot write logs to '{file}'"),
        (("compare", "{run}", "--workers", "0"), "workers must be at least 1"),
        (("report", "nowhere"), "'nowhere' is not the folder of a run"),
        (("report", "{empty}"), "'{empty}' is not the folder of a run"),
        (("report", "{unfinished}"), UNFINISHED),
        (("report", "{run}", "--runs", "1"), "a report needs at least 2 runs of each, got 1"),
        (("report", "{run}", "--seed", "-1"), "seeds are whole numbers from 0 on, got -1"),
        (("report", "{run}", "--workers", "0"), "workers must be at least 1"),
        (("report", "{run}", "--out", "{file}/page.html"), "cannot write '{file}/page.html'"),
        (("report", "{run}", "--out", "{file}"), "'{file}' is there already, and metasmith did not write it; choose"),
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
