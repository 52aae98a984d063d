"""Gives a rehearsal a view of some folders in which what is written goes elsewhere.

A study that writes to an absolute path would come no further than that in a rehearsal, which may write into its own
folder only. Linux lays an overlay over such a folder (overlayfs, in a mount namespace of this process alone; without
the right to make one, in a user namespace, 5.11 and newer): it is read as it stands, and what is changed lands in a
folder of the rehearsal. Nothing outside of this process and its children sees any of it.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Sequence
from pathlib import Path

_NEW_NAMESPACE, _NEW_USER = 0x0002_0000, 0x1000_0000
_BIND, _RECURSIVE, _PRIVATE = 1 << 12, 1 << 14, 1 << 18


def redirect(pairs: Sequence[Sequence[str]], keep: Sequence[str]) -> dict[str, str | None]:
    """{folder: None, or why it was not redirected} of [folder, where its changes go ("": nowhere)].

    Folders in `keep` stay what they are, also below a folder that is redirected. Must be called while the process has
    one thread.
    """
    if not pairs or sys.platform != "linux":
        return {folder: "only Linux can" for folder, _ in pairs}
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        users = _own_namespace(libc)
    except OSError as error:
        return {folder: f"no namespace of its own: {error.strerror or error}" for folder, _ in pairs}
    # Opened here: a mount of another namespace cannot be bound.
    kept = {os.path.realpath(k): os.open(k, os.O_PATH | os.O_CLOEXEC) for k in keep}
    try:
        return {folder: _overlaid(libc, folder, changes, kept, users) for folder, changes in pairs}
    finally:
        for descriptor in kept.values():
            os.close(descriptor)
        # The way to the working directory may lead through a folder that was laid over.
        os.chdir(Path.cwd())


def _own_namespace(libc: ctypes.CDLL) -> bool:
    """Leave the mounts of others alone. True if that took a namespace of users, too."""
    users = False
    if libc.unshare(_NEW_NAMESPACE):
        uid, gid = os.geteuid(), os.getegid()
        if libc.unshare(_NEW_NAMESPACE | _NEW_USER):
            _raise()
        users = True
        for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
            Path("/proc/self", name).write_text(text, encoding="ascii")
    if libc.mount(None, b"/", None, ctypes.c_ulong(_RECURSIVE | _PRIVATE), None):
        _raise()
    return users


def _overlaid(libc: ctypes.CDLL, folder: str, changes: str, kept: dict[str, int], users: bool) -> str | None:
    if not changes:
        return "there is no place outside of it for its changes"
    upper, work = Path(changes, "changes"), Path(changes, "work")
    try:
        for made in (upper, work):
            made.mkdir(parents=True, exist_ok=True)
        layers = {"lowerdir": folder, "upperdir": str(upper), "workdir": str(work)}
        options = ",".join(f"{k}={_escaped(v)}" for k, v in layers.items()) + (",userxattr" if users else "")
        if libc.mount(b"overlay", os.fsencode(folder), b"overlay", ctypes.c_ulong(0), os.fsencode(options)):
            _raise()
        for path, descriptor in kept.items():
            if (path + os.sep).startswith(os.path.realpath(folder) + os.sep):
                source = f"/proc/self/fd/{descriptor}".encode()
                if libc.mount(source, os.fsencode(path), None, ctypes.c_ulong(_BIND | _RECURSIVE), None):
                    _raise()
    except OSError as error:
        return error.strerror or str(error)
    return None


def _escaped(path: str) -> str:
    return "".join(f"\\{c}" if c in "\\,:" else c for c in path)


def _raise() -> None:
    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number))
