"""`metasmith watch`, and `--watch` of the commands that design."""

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from cli_helpers import metasmith

from metasmith.runs.folder import Folder
from metasmith.watching.state import state_of

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/")


def test_json_is_where_the_run_stands(run: Path, unfinished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder, state in ((run, "finished"), (unfinished, "interrupted")):
        code, printed, err = metasmith(capsys, "watch", str(folder), "--json")
        assert (code, err) == (0, "")
        assert json.loads(printed) == json.loads(json.dumps(state_of(Folder(folder))))
        assert json.loads(printed)["state"] == state


def test_a_folder_that_is_no_run_and_a_port_in_use(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed, err = metasmith(capsys, "watch", str(tmp_path))
    assert (code, printed) == (2, "")
    assert err == f"metasmith: '{tmp_path}' is not the folder of a run: it has no design.toml\n"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, printed, err = metasmith(capsys, "watch", str(run), "--port", str(port))
    assert (code, printed) == (2, "")
    assert re.fullmatch(rf"metasmith: cannot serve on port {port}: [^\n]*; choose another[^\n]*\n", err)


@pytest.mark.parametrize("words", [("design", "TASK", "--out", "RUN"), ("resume", "RUN")])
def test_the_page_of_a_design_ends_with_it(
    words: tuple[str, ...], file: Path, quick: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    design = ("design", f"{file}:small", *quick, "--out", str(run))
    if words[0] == "resume":
        assert metasmith(capsys, *design, "--json")[0] == 0
        (run / "design.json").unlink()
    command = design if words[0] == "design" else ("resume", str(run))
    code, printed, err = metasmith(capsys, *command, "--watch", "--json")
    assert code == 0
    assert json.loads(printed)["run"] == str(run)
    (port,) = ADDRESS.findall(err)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(port)), timeout=60)


@pytest.mark.slow
def test_a_page_is_served_until_ctrl_c(run: Path) -> None:
    command = [sys.executable, "-m", "metasmith", "watch", str(run)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heeding_interrupts
    )
    assert process.stdout is not None
    address = ADDRESS.search(process.stdout.readline())
    assert address
    with urllib.request.urlopen(f"{address[0]}state.json", timeout=60) as response:
        assert json.load(response)["state"] == "finished"
    process.send_signal(signal.SIGINT)
    printed, err = process.communicate(timeout=60)
    assert (process.returncode, printed.count("\n"), err) == (0, 1, "")


def heeding_interrupts() -> None:
    """Whoever runs the tests may ignore interrupts, which is inherited."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
