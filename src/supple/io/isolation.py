"""Shutting a process off before it reads a file with a library that trusts files: no network, no programs, few files.

Landlock, where the kernel has it, leaves the process the files that it was told of and Python's own libraries, to read,
and one folder for its answer. A seccomp filter refuses to make sockets and to start programs. Both are asked of the
Linux kernel itself, cannot be taken back, and hold for all that the process does from then on. Where one is missing the
other still holds, and where both are the process goes on with its bounds of memory and time alone: `isolate` says what
was done.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

UNSAFE_VARIABLES = ("PXR_PLUGINPATH_NAME",)  # plug-ins of USD are code that a file can ask for by its suffix

_NO_NEW_PRIVILEGES, _SECCOMP_FILTER, _EVERY_THREAD = 38, 1, 1
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # of Landlock, on every processor
_VERSION, _PATH_BENEATH = 1, 1
_WRITE_FILE, _READ_FILE, _READ_DIR, _REMOVE_FILE, _MAKE_REG, _TRUNCATE = (1 << bit for bit in (1, 2, 3, 5, 8, 14))
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}  # by version of Landlock
_NETWORK_RIGHTS, _SCOPES = 3, 3  # TCP, bound or connected; abstract sockets and signals
_REFUSED = 0x00050000 | 1  # seccomp: fail with EPERM
_ALLOWED, _KILLED = 0x7FFF0000, 0x80000000

# By processor: what it calls itself, the call that sets a filter, and the calls refused: socket, socketpair, connect,
# execve, execveat, ptrace, io_uring_setup, process_vm_readv, process_vm_writev.
_CALLS = {
    "x86_64": (0xC000003E, 317, (41, 53, 42, 59, 322, 101, 425, 310, 311)),
    "aarch64": (0xC00000B7, 277, (198, 199, 203, 221, 281, 117, 425, 270, 271)),
}


def safe_environment(given: Mapping[str, str]) -> dict[str, str]:
    """An environment without the variables by which a file could choose code that is run."""
    return {name: value for name, value in given.items() if name not in UNSAFE_VARIABLES}


def isolate(readable: Iterable[Path], answers: Path) -> tuple[str, ...]:
    """Shut this process off, but for reading `readable` (files, or folders with all below) and writing in `answers`.

    Returns what holds from now on: "files", "network" and "programs", each where the system can do it. Libraries should
    be loaded by then, though Python's own folders stay readable.
    """
    if sys.platform != "linux":
        return ()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return ()
    done: tuple[str, ...] = ()
    if _few_files(libc, [*readable, *_libraries()], answers):
        done += ("files",)
    if _few_calls(libc):
        done += ("network", "programs")
    return done


def _libraries() -> list[Path]:
    """Python's own folders, and those that modules are found in."""
    folders = {sys.prefix, sys.base_prefix, *(entry for entry in sys.path if entry)}
    return [Path(folder) for folder in sorted(folders)]


def _few_files(libc: ctypes.CDLL, readable: Iterable[Path], answers: Path) -> bool:
    """Leave this process some files alone; whether the kernel could."""
    version = libc.syscall(_CREATE_RULESET, None, 0, _VERSION)
    if version < 1:
        return False
    rights = _FILE_RIGHTS[max(known for known in _FILE_RIGHTS if known <= version)]
    asked = struct.pack("=QQQ", rights, _NETWORK_RIGHTS, _SCOPES)[: 8 if version < 4 else 16 if version < 6 else 24]
    rules = libc.syscall(_CREATE_RULESET, asked, len(asked), 0)
    if rules < 0:
        return False
    try:
        written = _READ_FILE | _READ_DIR | _WRITE_FILE | _REMOVE_FILE | _MAKE_REG | _TRUNCATE
        allowed = [(path, _READ_FILE | _READ_DIR) for path in readable] + [(answers, written)]
        held = all(_allow(libc, rules, path, right & rights) for path, right in allowed if path.exists())
        return held and libc.syscall(_RESTRICT_SELF, rules, 0) == 0
    finally:
        os.close(rules)


def _allow(libc: ctypes.CDLL, rules: int, path: Path, rights: int) -> bool:
    """Add a file or a folder with all below it to what is allowed."""
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = struct.pack("=Qi", rights if path.is_dir() else rights & (_READ_FILE | _WRITE_FILE), handle)
        return bool(libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, rule, 0) == 0)
    finally:
        os.close(handle)


def _few_calls(libc: ctypes.CDLL) -> bool:
    """Refuse sockets and programs to every thread of this process; whether the kernel could."""
    if platform.machine() not in _CALLS or struct.calcsize("P") != 8:
        return False
    processor, seccomp, refused = _CALLS[platform.machine()]
    program = _filter(processor, refused)
    steps = ctypes.create_string_buffer(program, len(program))
    asked = struct.pack("@HP", len(program) // 8, ctypes.addressof(steps))
    return bool(libc.syscall(seccomp, _SECCOMP_FILTER, _EVERY_THREAD, asked) == 0)


def _filter(processor: int, refused: tuple[int, ...]) -> bytes:
    """The steps of a filter: another processor's calls end the process, those `refused` fail, all others go through."""
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    number, architecture = 0, 4  # where they stand in what the filter is shown
    steps = [(load, 0, 0, architecture), (equal, 1, 0, processor), (answer, 0, 0, _KILLED), (load, 0, 0, number)]
    steps.append((at_least, len(refused) + 1, 0, 0x40000000))  # numbers of the x32 kind: none of ours
    steps += [(equal, len(refused) - place, 0, call) for place, call in enumerate(refused)]
    steps += [(answer, 0, 0, _ALLOWED), (answer, 0, 0, _REFUSED)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)
