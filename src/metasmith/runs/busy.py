"""Whether a process is at work on a run: for those who only look, and may be in nobody's way."""

from metasmith.runs.folder import Folder


def is_busy(folder: Folder) -> bool:
    """Whether a process holds the lock of a run; where the system has no such locks, always.

    Asking takes a share in the lock for a moment. Others who ask are not kept out by that, and whoever claims the run
    in that moment tries again.
    """
    try:
        import fcntl
    except ImportError:  # there is none on Windows
        return True
    try:
        with (folder.path / "lock").open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:  # it is held, or not ours to read
        return True
    return False
