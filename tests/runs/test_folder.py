"""One process at a time works on a run; whatever becomes of the disk, the folder or the process, nothing is lost."""

import errno
import os
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from design_helpers import SMALL, designed, facts, kept, spend_for, tiny

import metasmith as ms
from metasmith.designers.ppo.writer_file import WriterFile
from metasmith.designers.training import Training
from metasmith.runs.folder import Folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "run"
    designed(out=path)
    return path


SHORT = {**SMALL, "spend": spend_for(tiny(), 1, True, SMALL)}
"""Of lessons of one batch."""

AT_ONCE = """
import sys
sys.path[:0] = [{tests!r}]
from pathlib import Path
from design_helpers import SMALL, spend_for, designed, tiny
import metasmith as ms

seed = int(sys.argv[1])
tasks = [ms.Task(f"task-{{number}}", tiny().training, tiny().test, 100) for number in (0, 1)]
designed(batches=1)  # all is loaded
print("ready", flush=True)
for line in sys.stdin:
    what, path = line.split()
    try:
        if what == "design":
            designed(out=path, seed=seed, batches=1)
        else:
            ms.learn([tasks[seed]], path, spend=spend_for(tasks[seed], 1, True, SMALL), **SMALL)
        print("made", flush=True)
    except ValueError as error:
        print(error, flush=True)
"""


@contextmanager
def two_processes() -> Iterator[list["subprocess.Popen[str]"]]:
    """Two that do what they are told in a line, as a design or a lesson with the seed 0 or 1."""
    program = AT_ONCE.format(tests=str(Path(__file__).parent))
    both = [
        subprocess.Popen(
            [sys.executable, "-c", program, seed], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for seed in "01"
    ]
    try:
        for process in both:
            assert process.stdout.readline() == "ready\n"
        yield both
    finally:
        for process in both:
            process.communicate()


def at_once(both: "list[subprocess.Popen[str]]", what: str, path: Path) -> list[str]:
    """What both say after they were told the same in the same moment."""
    for process in both:
        process.stdin.write(f"{what} {path}\n")
        process.stdin.flush()
    return [process.stdout.readline().rstrip("\n") for process in both]


@pytest.mark.slow
def test_of_two_that_start_at_once_one_gets_the_folder_and_the_other_one_line(tmp_path):
    with two_processes() as both:
        for number in range(20):
            path = tmp_path / f"run{number}"
            said = at_once(both, "design", path)
            assert said.count("made") == 1
            winner = said.index("made")
            assert said[1 - winner] in (
                f"another process is at work on the run in '{path}'",
                f"'{path}' is not empty; 'metasmith resume {path}' goes on with the run in it; choose another folder",
            )
            assert Folder(path).spec().seed == winner
            assert Folder(path).design()["seed"] == winner
        for number in range(5):
            file = tmp_path / f"writer{number}"
            said = at_once(both, "learn", file)
            learned = [task.task for task in WriterFile.load(file).learned]
            assert learned == [f"task-{i}" for i in (0, 1) if said[i] == "made"]
            assert [each for each in said if each != "made"] == [f"another process is teaching the writer in '{file}'"]


@pytest.mark.slow
def test_a_writer_is_taught_by_one_at_a_time(tmp_path):
    file = tmp_path / "writer"
    others: list[str] = []

    def tell(event: object) -> None:
        if not others:
            with pytest.raises(ValueError, match="another process is teaching the writer in") as caught:
                ms.learn([tiny()], file, **SHORT)
            others.append(str(caught.value))

    ms.learn([tiny()], file, tell=tell, **SHORT)
    assert len(others) == 1
    assert len(WriterFile.load(file).learned) == 1


def test_what_is_not_a_run_gets_no_lock(tmp_path):
    (tmp_path / "mine").touch()
    with pytest.raises(ValueError, match="is not empty; choose another folder"):
        designed(out=tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["mine"]


def test_whoever_died_with_nothing_but_the_lock_starts_again(whole, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "lock").touch()
    designed(out=tmp_path / "run")
    assert kept(tmp_path / "run") == kept(whole)


def test_a_process_that_forked_writes_nothing(whole, tmp_path):
    """As where a user's function forks: both processes go on with the design, and one may."""
    path, children = tmp_path / "run", list[int]()

    def tell(event: object) -> None:
        if getattr(event, "step", 0) == 1 and not children:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # some versions of Python advise against it
                children.append(os.fork())

    try:
        designed(out=path, tell=tell, workers=1)
    except BaseException as error:
        if children != [0]:
            raise
        refused = str(error) == f"a process that forked from the one at work on '{path}' cannot go on with the run"
        os._exit(0 if refused else 1)
    if children == [0]:
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]) == 0
    assert kept(path) == kept(whole)


@pytest.mark.parametrize("again", [False, True])
def test_a_folder_that_was_removed_ends_the_run_in_one_line(again, tmp_path):
    path = tmp_path / "run"

    def tell(event: object) -> None:
        if getattr(event, "step", 0) == 2:
            shutil.rmtree(path)
            if again:
                designed(out=path, seed=1)

    with pytest.raises(ValueError, match=rf"^'{path}' was removed, moved or replaced while a process was at work on"):
        designed(out=path, tell=tell)
    assert path.exists() == again
    if again:
        assert len(Folder(path).history(pytest.fail)) == len(designed(seed=1).history)


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EROFS])
def test_a_disk_that_is_full_or_read_only_costs_no_more_than_a_step(reason, whole, tmp_path, monkeypatch):
    sync = os.fsync
    for number in range(3, 24, 8):
        left = iter(range(number))

        def failing(descriptor: int, left: Iterator[int] = left) -> None:
            if next(left, None) is None:
                raise OSError(reason, os.strerror(reason))
            sync(descriptor)

        path = tmp_path / f"run{number}"
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", failing)
            with pytest.raises(OSError, match=os.strerror(reason)) as caught:
                designed(out=path)
            assert Path(caught.value.filename).parent == path
            with pytest.raises(OSError, match=os.strerror(reason)):  # it still is
                ms.resume(path, tiny(), warn=pytest.fail)
        ms.resume(path, tiny(), warn=pytest.fail)
        assert kept(path) == kept(whole)


@pytest.mark.slow
def test_a_real_disk_may_fill_up(whole, tmp_path):
    """A small file system of its own, where that can be made."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if (
        os.geteuid() != 0
        or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True).returncode
    ):
        pytest.skip("needs the right to mount")
    try:
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(600_000))
        with pytest.raises(OSError, match="No space left on device") as caught:
            designed(out=disk / "run")
        assert Path(caught.value.filename).parent == disk / "run"
        with pytest.raises(OSError, match="No space left on device"):
            ms.resume(disk / "run", tiny())
        ballast.unlink()
        ms.resume(disk / "run", tiny(), warn=pytest.fail)
        assert kept(disk / "run") == kept(whole)
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_design_without_a_folder_leaves_nothing_behind(whole, temporary):
    assert facts(designed()) == facts(ms.resume(whole, tiny()))
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, ms.EvaluationError])
def test_an_error_in_a_design_without_a_folder_says_where_it_is_kept(error, whole, temporary):
    def tell(event: object) -> None:
        if getattr(event, "step", 0) == 2:
            raise error

    with pytest.raises(error) as caught:
        designed(tell=tell)
    (folder,) = temporary.iterdir()
    assert folder.name.startswith("metasmith-tiny-0-")
    assert caught.value.__notes__ == [
        f"what was done until then is kept: ms.resume('{folder}', task) goes on, with the task"
    ]
    ms.resume(folder, tiny(), warn=pytest.fail)
    assert kept(folder) == kept(whole)


def test_a_mistake_leaves_no_temporary_folder(temporary):
    with pytest.raises(ValueError, match="batch must be at least 1"):
        ms.design(tiny(), training=Training(batch=0))
    with pytest.raises(KeyboardInterrupt):
        designed(tell=lambda event: signal.raise_signal(signal.SIGINT))  # before the first step
    assert list(temporary.iterdir()) == []


def test_where_no_temporary_files_can_be_made_a_design_is_made_all_the_same(whole, monkeypatch):
    def nowhere(**options: str) -> None:
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found")

    monkeypatch.setattr("metasmith.runs.folder.mkdtemp", nowhere)
    assert facts(designed()) == facts(ms.resume(whole, tiny()))
