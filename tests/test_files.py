"""Files are there whole or not at all."""

from pathlib import Path

import pytest

from metasmith.files import make_room, overwrite, replace, save


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
