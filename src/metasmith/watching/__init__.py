"""A run as a page in a browser while it is under way."""

from pathlib import Path

from metasmith.runs.folder import Folder


def watch(run: Path | str, *, port: int = 0) -> str:
    """Show a run as a page in a browser, under way or finished, and return the page's address.

    It is served in the background for as long as this process lives, to this machine only. run: the folder; one that is
    not there yet is waited for, so that `ms.design(..., out=run)` may follow. port: 0 for any that is free.
    """
    from metasmith.watching.server import start

    if Path(run).exists():
        Folder(run).spec()
    return start(run, port).address
