"""What was found in each run, kept between surveys in one SQLite file of the user's own (mode 0600).

The file may lie on a shared file system. It uses SQLite's rollback journal and not its write-ahead log, since the
latter needs memory that all its readers share, which a network file system has not. A survey writes with one lock, a
second one waits for it.

Of a log the store holds its path, size, time and digest, whose it is and where it ran, and what its root cause quotes:
nothing else of it, and secrets are taken out before (as of every diagnosis).
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from xladoctor.errors import XladoctorError
from xladoctor.survey.same import Dims, Groups

VERSION = 1
_APPLICATION = 0x78_6C_61_64  # "xlad"
_WAIT = 60.0
_TABLES = """
CREATE TABLE causes(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL, first REAL, last REAL);
CREATE TABLE numbers(
  cause INTEGER NOT NULL REFERENCES causes, dims TEXT NOT NULL, PRIMARY KEY(cause, dims)) WITHOUT ROWID;
CREATE TABLE runs(
  id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE, kind TEXT NOT NULL, stamp TEXT NOT NULL, digest BLOB,
  settled INTEGER NOT NULL, rules TEXT NOT NULL, ended REAL, verdict TEXT, user TEXT, node TEXT, job TEXT,
  program TEXT, cause INTEGER REFERENCES causes, finding TEXT, problem TEXT);
CREATE INDEX runs_of_cause ON runs(cause);
"""
_KNOWN = "SELECT name, id, stamp, digest, settled, rules FROM runs WHERE name IN ()"


class Row(NamedTuple):
    """What is kept of a run. `name` is its paths; `stamp` the sizes and times of its files; `settled` says whether a
    change would show in the stamp. `key` and `dims` say which cause it is, `finding` what it quotes, as JSON; `problem`
    says why there is no verdict. A row with `same` is one whose content was known: only its stamp is new.
    """

    name: bytes
    kind: str
    stamp: str
    digest: bytes | None
    settled: bool
    ended: float | None
    verdict: str | None = None
    user: str | None = None
    node: str | None = None
    job: str | None = None
    program: str = ""
    key: str | None = None
    dims: Dims = ()
    finding: str | None = None
    problem: str | None = None
    same: bool = False
    gone: bool = False
    """There was no such file, or no longer: another machine may not see yet what this one sees."""


class Known(NamedTuple):
    """What the store says of a run before it is read."""

    id: int
    stamp: str
    digest: bytes | None
    settled: bool
    current: bool


def default_file() -> Path:
    """Where the store lies if nothing else is said: with what else the doctor keeps of this user."""
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "xladoctor" / "survey.sqlite"


def name_of(paths: Sequence[str]) -> bytes:
    """The paths of a run as one key. No path holds a zero byte."""
    return b"\0".join(os.fsencode(path) for path in paths)


def paths_of(name: bytes) -> list[str]:
    """The paths again."""
    return [os.fsdecode(part) for part in name.split(b"\0")]


class Store:
    """An open store. `rules` is what answers depend on besides the log: those of another doctor are not current."""

    def __init__(self, file: Path, rules: str) -> None:
        self._file, self._rules = file, rules
        with _told(file):
            _make(file)
            self._base = sqlite3.connect(file, timeout=_WAIT, isolation_level=None)
            for pragma in ("journal_mode=TRUNCATE", "synchronous=NORMAL", "secure_delete=ON", "temp_store=MEMORY",
                           "trusted_schema=OFF", "cell_size_check=ON"):  # fmt: skip
                self._base.execute(f"PRAGMA {pragma}")
            self._base.execute("BEGIN IMMEDIATE")
            try:
                self._see_to_tables()
                self._base.execute("CREATE TEMP TABLE present(run INTEGER PRIMARY KEY)")
            except BaseException:
                self._base.execute("ROLLBACK")
                raise
            self._base.execute("COMMIT")
            self._seen = self._one("PRAGMA data_version")
            self._groups, self._causes = self._read_groups()

    def close(self) -> None:
        """Nothing more is asked."""
        self._base.close()

    def _see_to_tables(self) -> None:
        version = self._one("PRAGMA user_version")
        if version == VERSION and self._one("PRAGMA application_id") == _APPLICATION:
            return
        if version or self._one("SELECT count(*) FROM sqlite_master"):
            newer = isinstance(version, int) and version > VERSION
            raise XladoctorError(
                f"{self._file} is {'the store of a newer xladoctor' if newer else 'no store of surveys'}",
                hint="Name another file: --store FILE",
            )
        for statement in _TABLES.split(";"):
            self._base.execute(statement)
        self._base.execute(f"PRAGMA application_id={_APPLICATION}")
        self._base.execute(f"PRAGMA user_version={VERSION}")

    def _one(self, query: str, values: Sequence[Any] = ()) -> Any:
        row = self._base.execute(query, values).fetchone()
        return row[0] if row else None

    def _read_groups(self) -> tuple[Groups, dict[int, tuple[float | None, float | None]]]:
        groups = Groups()
        causes: dict[int, tuple[float | None, float | None]] = {}
        dims: dict[int, list[Dims]] = {}
        for cause, text in self._base.execute("SELECT cause, dims FROM numbers"):
            dims.setdefault(cause, []).append(tuple(json.loads(text)))
        for cause, key, first, last in self._base.execute("SELECT id, key, first, last FROM causes ORDER BY id"):
            groups.learn(cause, tuple(json.loads(key)), dims.get(cause, ()))
            causes[cause] = first, last
        return groups, causes

    def known(self, names: Sequence[bytes]) -> dict[bytes, Known]:
        """What is known of these runs."""
        found: dict[bytes, Known] = {}
        with _told(self._file):
            for start in range(0, len(names), 500):
                part = names[start : start + 500]
                query = _KNOWN.replace("()", f"({','.join('?' * len(part))})")
                for name, number, stamp, digest, settled, rules in self._base.execute(query, part):
                    found[name] = Known(number, stamp, digest, bool(settled), rules == self._rules)
        return found

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction. What was written before an interrupt counts."""
        with _told(self._file):
            self._base.execute("BEGIN IMMEDIATE")
            try:
                self._learn_what_others_wrote()
                yield
            except BaseException:
                self._base.execute("ROLLBACK")
                raise
            self._base.execute("COMMIT")

    def _learn_what_others_wrote(self) -> None:
        """Causes have numbers: another survey may have given some since this one looked."""
        seen = self._one("PRAGMA data_version")
        if seen != self._seen:
            self._seen = seen
            self._groups, self._causes = self._read_groups()

    def present(self, runs: Iterable[int]) -> None:
        """These runs belong to the survey that is being made."""
        self._base.executemany("INSERT OR IGNORE INTO present VALUES(?)", ((run,) for run in runs))

    def forget_present(self) -> None:
        """A new survey begins."""
        self._base.execute("DELETE FROM present")

    def write(self, row: Row) -> None:
        """Keep what was found in one run, and count it in this survey."""
        if row.same:
            number = self._one(
                "UPDATE runs SET stamp=?, settled=?, ended=?, kind=? WHERE name=? RETURNING id",
                (row.stamp, row.settled, row.ended, row.kind, row.name),
            )
        else:
            cause = self._cause(row) if row.key is not None else None
            number = self._one(
                "INSERT INTO runs(name, kind, stamp, digest, settled, rules, ended, verdict, user, node, job, program,"
                " cause, finding, problem) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT(name) DO UPDATE SET"
                " kind=excluded.kind, stamp=excluded.stamp, digest=excluded.digest, settled=excluded.settled,"
                " rules=excluded.rules, ended=excluded.ended, verdict=excluded.verdict, user=excluded.user,"
                " node=excluded.node, job=excluded.job, program=excluded.program, cause=excluded.cause,"
                " finding=excluded.finding, problem=excluded.problem RETURNING id",
                (row.name, row.kind, row.stamp, row.digest, row.settled, self._rules, row.ended, row.verdict, row.user,
                 row.node, row.job, row.program, cause, row.finding, row.problem),
            )  # fmt: skip
        self.present([number])

    def _cause(self, row: Row) -> int:
        assert row.key is not None
        cause, is_new = self._groups.number(tuple(json.loads(row.key)), row.dims)
        first, last = self._causes.get(cause, (None, None))
        if cause not in self._causes:
            self._base.execute("INSERT INTO causes VALUES(?,?,NULL,NULL)", (cause, row.key))
        if is_new:
            self._base.execute("INSERT OR IGNORE INTO numbers VALUES(?,?)", (cause, json.dumps(row.dims)))
        times = [time for time in (first, last, row.ended) if time is not None]
        seen = (min(times), max(times)) if times else (None, None)
        if seen != (first, last) or cause not in self._causes:
            self._base.execute("UPDATE causes SET first=?, last=? WHERE id=?", (*seen, cause))
            self._causes[cause] = seen
        return cause

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """What a query over `runs`, `causes` and `present` gives."""
        with _told(self._file):
            return self._base.execute(query, values).fetchall()


def _make(file: Path) -> None:
    """An empty file that nobody else can read; SQLite gives what it writes beside it the same mode."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        if os.fstat(descriptor).st_uid == os.getuid():
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


@contextmanager
def _told(file: Path) -> Iterator[None]:
    """What goes wrong with the file, as a sentence."""
    try:
        yield
    except sqlite3.OperationalError as error:
        busy = "locked" in str(error) or "busy" in str(error)
        raise XladoctorError(
            f"{file}: {'another survey is writing to it' if busy else error}", hint="Another store: --store FILE"
        ) from error
    except sqlite3.DatabaseError as error:
        raise XladoctorError(
            f"{file} cannot be read as a store of surveys: {error}", hint="Remove it, or name another: --store FILE"
        ) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise XladoctorError(f"{file}: {reason.lower()}", hint="Another store: --store FILE") from error
