"""Files are there whole or not at all."""

import errno
import os
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from metasmith.files import append, locked, make_room, overwrite, replace, save


def test_a_file_is_replaced_whole(tmp_path, monkeypatch):
    file = tmp_path / "file"
    replace(file, b"before")

    def killed(path: Path, data: bytes) -> None:
        with path.open("wb") as opened:
            opened.write(data[:2])
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", killed)
    with pytest.raises(KeyboardInterrupt):
        replace(file, b"after")
    assert file.read_bytes() == b"before"


def test_room_for_a_page_leaves_no_empty_page(tmp_path):
    file = tmp_path / "new" / "page.md"
    make_room(file)
    assert list(file.parent.iterdir()) == []
    file.write_text("before")
    make_room(file)
    assert file.read_text() == "before"
    save(file, "after ±")
    assert file.read_text(encoding="utf-8") == "after ±"
    with pytest.raises(ValueError, match=r"cannot write '.*below'"):
        save(file / "below", "")


def test_pages_are_saved_whole(tmp_path, monkeypatch):
    file = tmp_path / "page.md"
    save(file, "before")

    def full(path: Path, data: bytes) -> None:
        with path.open("wb") as opened:
            opened.write(data[:2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("metasmith.files.replace", lambda path, data: full(path.with_name("part"), data))
    with pytest.raises(OSError, match="No space"):
        save(file, "after")
    assert file.read_text() == "before"


def test_what_is_not_ours_is_not_overwritten(tmp_path):
    file = tmp_path / "thesis.md"
    file.write_text("a thesis")
    with pytest.raises(ValueError, match=r"thesis.md' is there already, and metasmith did not write it; choose"):
        make_room(file, b"Made by")
    assert file.read_text() == "a thesis"
    for ours in ("", "# Title\n\nMade by `metasmith`"):
        file.write_text(ours)
        make_room(file, b"Made by")


def test_a_link_stays_one_and_a_device_a_device(tmp_path):
    (tmp_path / "page.md").write_text("before")
    (tmp_path / "link.md").symlink_to("page.md")
    overwrite(tmp_path / "link.md", b"after")
    assert ((tmp_path / "link.md").is_symlink(), (tmp_path / "page.md").read_text()) == (True, "after")
    overwrite(Path("/dev/null"), b"nothing")
    assert not Path("/dev/null").is_file()


def test_the_disk_has_a_file_before_its_name_and_the_name_before_we_go_on(tmp_path, monkeypatch):
    told: list[str] = []
    sync, rename = os.fsync, Path.replace

    def synced(descriptor: int) -> None:
        told.append(Path(f"/proc/self/fd/{descriptor}").resolve().name)
        sync(descriptor)

    def renamed(path: Path, target: Path) -> None:
        told.append("renamed")
        rename(path, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    replace(tmp_path / "file", b"whole")
    assert told == ["file.part", "renamed", tmp_path.name]
    told.clear()
    append(tmp_path / "lines", b"one\n")
    append(tmp_path / "lines", b"two\n")
    assert told == ["lines", tmp_path.name, "lines"]
    assert (tmp_path / "lines").read_bytes() == b"one\ntwo\n"


def full(*given: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("write", [replace, append])
def test_a_full_disk_is_told_with_the_name_of_the_file(write, tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_bytes(b"before")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        write(file, b"after")
    assert caught.value.filename == str(file)
    assert file.read_bytes().startswith(b"before")
    assert list(tmp_path.iterdir()) == [file]  # nothing takes up room that is of no use


def test_a_lock_is_held_by_one_and_is_free_again_afterwards(tmp_path):
    def hold() -> AbstractContextManager[int]:
        return locked(tmp_path / "lock", "taken")

    for _ in range(2):
        with hold(), pytest.raises(ValueError, match=r"^taken$"), hold():
            pytest.fail("two have the lock")
