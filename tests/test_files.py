"""Files are there whole or not at all."""

from pathlib import Path

import pytest

from metasmith.files import make_room, replace, save


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
