"""How the libraries of an extra get into the environment that the doctor runs in, whatever made it."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path


def how_to_install(extra: str) -> str:
    """One line with a command. `pip install 'xladoctor[extra]'` would go to another environment than that of pipx or
    uv, and to a registry, where this package may not be.
    """
    words = shlex.join(libraries(extra))
    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").is_file():
        command = f"pipx inject xladoctor {words}"
    elif (prefix / "uv-receipt.toml").is_file():
        command = f"uv pip install --python {shlex.quote(str(prefix))} {words}"
    else:
        command = f"{shlex.quote(sys.executable)} -m pip install {words}"
    return f"To install it: {command}"


def libraries(extra: str) -> list[str]:
    """What the extra needs, from the metadata of the package."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires("xladoctor") or []
    except PackageNotFoundError:  # sources on the path that nobody installed
        lines = []
    marker = re.compile(rf"\bextra\s*==\s*['\"]{re.escape(extra)}['\"]")
    found = [line.partition(";")[0].strip() for line in lines if marker.search(line.partition(";")[2])]
    return found or [f"xladoctor[{extra}]"]
