"""The page that shows a run: one file with its style and its script in it, which asks nobody but its own server."""

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

_HERE = files("metasmith.watching")
_STYLE = (files("metasmith.report") / "page.css").read_text("utf-8") + (_HERE / "watch.css").read_text("utf-8")
_SCRIPT = (_HERE / "watch.js").read_text("utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


PAGE = (_HERE / "watch.html").read_text("utf-8").replace("/* style */", _STYLE).replace("/* script */", _SCRIPT)

CONTENT_SECURITY_POLICY = (
    f"default-src 'none'; script-src {_hash(_SCRIPT)}; style-src {_hash(_STYLE)}; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Only what is in the page itself may run, and it may ask only its own server."""
