"""Files are there whole or not at all."""

from pathlib import Path

import pytest

from metasmith.files import replace


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
