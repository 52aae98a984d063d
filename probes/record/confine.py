"""Keeps a rehearsal from writing outside of its own folders.

A rehearsal runs the user's command once more, and that command may save a model over the one that took a night to
train. Linux's Landlock (5.13 and newer; https://docs.kernel.org/userspace-api/landlock.html) takes the right to write
from this process and its children, C++ included. Where there is none an audit hook stops what Python itself opens.
"""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from collections.abc import Sequence

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_PR_SET_NO_NEW_PRIVS = 38
_PATH_BENEATH = 1
# include/uapi/linux/landlock.h: write, remove, make, and (from versions 2 and 3 on) rename across folders and truncate.
_WRITE = 1 << 1
_CHANGES = sum(1 << bit for bit in range(4, 13))
_REFER, _TRUNCATE = 1 << 13, 1 << 14
_TCP = 3  # to bind and to connect (version 4)
_BEFORE_NETWORK = 8  # bytes of the rule set before version 4
_SAME_ON_ALL = {"x86_64", "aarch64", "ppc64le", "s390x", "riscv64"}


class _Ruleset(ctypes.Structure):
    _fields_ = [("handled_access_fs", ctypes.c_uint64), ("handled_access_net", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32)]


def confine(folders: Sequence[str], network: bool = True) -> str:
    """Let this process write below `folders` only, and without `network` open no connection to another machine.
    Returns how: "landlock" or "audit hook".
    """
    allowed = [os.path.realpath(f) for f in folders]
    if not network:
        sys.addaudithook(_no_connection)
    if _landlock(allowed, network):
        return "landlock"
    _audit(allowed)
    return "audit hook"


def _no_connection(event: str, arguments: tuple[object, ...]) -> None:
    """Python's own sockets; what C++ opens is for Landlock to refuse (version 4)."""
    if event == "socket.connect" and isinstance(arguments[1], tuple):
        raise PermissionError(13, "xladoctor: this rehearsal opens no connection")


def _landlock(folders: Sequence[str], network: bool) -> bool:
    if sys.platform != "linux" or platform.machine() not in _SAME_ON_ALL:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, 0, 1)
    if version < 1:
        return False
    rights = _WRITE | _CHANGES | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    closed = version >= 4 and not network
    asked = _Ruleset(rights, _TCP if closed else 0)
    size = ctypes.sizeof(asked) if closed else _BEFORE_NETWORK
    ruleset = libc.syscall(_CREATE_RULESET, ctypes.byref(asked), size, 0)
    if ruleset < 0:
        return False
    try:
        for folder in folders:
            descriptor = os.open(folder, os.O_PATH | os.O_CLOEXEC)
            try:
                rule = _Beneath(rights, descriptor)
                if libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(rule), 0):
                    return False
            finally:
                os.close(descriptor)
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
            return False
        return not libc.syscall(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _audit(folders: Sequence[str]) -> None:
    inside = tuple(f + os.sep for f in folders)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC)
            if not writes and not (isinstance(mode, str) and set(mode) & set("wax+")):
                return
        elif event in ("os.remove", "os.rename", "os.rmdir", "os.mkdir", "shutil.rmtree", "os.truncate"):
            path = arguments[0]
        else:
            return
        if isinstance(path, (str, bytes)):
            real = os.path.realpath(os.fsdecode(path))
            if not (real + os.sep).startswith(inside):
                raise PermissionError(13, "xladoctor: a rehearsal writes nothing outside of its folder", real)

    sys.addaudithook(hook)
