"""What the target does to its own process harms neither it nor its files, and costs as little recording as can be.

The programs are plain Python: a write to a watched variable is an event. Each ends with a line that only a program
that was left alone can print.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import textwrap
from pathlib import Path

import pytest

from tests.probes.record.running import PYTHON, ROOT, read_events, run_program, target_environment

MARK = "import os\ndef mark(n):\n    os.environ['PTYCHO_MARK'] = str(n)\n"


def marks(ran) -> list[str]:
    return [value for _, value in ran.settings("PTYCHO_MARK", "write")]


def left_alone(tmp_path, program: str, **options):
    ran = run_program(tmp_path, MARK + textwrap.dedent(program) + "\nprint('left alone')\n", **options)
    assert (ran.status, ran.stdout, ran.stderr) == (0, "left alone\n", "")
    assert ran.of("probe-error") == []
    return ran


# The user's file must be what the user wrote, whatever number it has got.
OPENED = """
mark(1)
before = os.open("/dev/null", os.O_RDONLY); os.close(before)
{close}
files = [open(f"mine-{{n}}.txt", "w") for n in range(80)]
for n in range(2, 30):
    mark(n)
assert files[0].fileno() == {first}, files[0].fileno()
for n, file in enumerate(files):
    file.write(f"{{n}}")
    file.close()
assert [open(f"mine-{{n}}.txt").read() for n in range(80)] == [str(n) for n in range(80)]
assert not [f for f in os.listdir("/proc/self/fd") if "events" in os.path.realpath(f"/proc/self/fd/{{f}}")]
"""


@pytest.mark.parametrize(
    "close",
    [
        "os.closerange(3, 64)",
        "os.closerange(3, 4096)",
        "import ctypes; ctypes.CDLL(None).syscall(436, 3, 0xffffffff, 0)",
        "null = os.open('/dev/null', os.O_RDWR)\nfor n in range(3, 64):\n    n == null or os.dup2(null, n)\n"
        "os.closerange(3, 64)",
        "pass",
    ],
    ids=["closerange", "far", "close_range", "dup2", "nothing"],
)
def test_no_descriptor_is_held_and_the_lowest_number_is_free(tmp_path, close):
    ran = left_alone(tmp_path, OPENED.format(close=close, first=3))
    assert marks(ran) == [str(n) for n in range(1, 30)]


def test_a_daemon_writes_its_own_files_and_is_recorded_to_the_end(tmp_path):
    program = """
    import sys
    def daemon(umask):
        if os.fork():
            os._exit(0)
        os.setsid()
        if os.fork():
            os._exit(0)
        os.chdir("/")
        os.umask(umask)
        os.closerange(0, 64)
        for _ in range(3):
            os.open("/dev/null", os.O_RDWR)
    target = os.path.abspath("out.txt")
    if os.fork() == 0:
        daemon(0o777)
        mine = os.open(target, os.O_CREAT | os.O_WRONLY, 0o644)
        for n in range(5):
            mark(n)
            os.write(mine, b"%d" % n)
        os.rename(target, target + ".done")
        os._exit(0)
    os.wait()
    import time
    for _ in range(400):
        if os.path.exists("out.txt.done"):
            break
        time.sleep(0.05)
    """
    ran = left_alone(tmp_path, program)
    assert (tmp_path / "project" / "out.txt.done").read_bytes() == b"01234"
    assert marks(ran) == list("01234")


def test_forks_in_threads_that_record(tmp_path):
    program = """
    import threading
    stop = threading.Event()
    def busy():
        n = 0
        while not stop.is_set():
            n += 1
            mark(f"t{n % 50}")
    threads = [threading.Thread(target=busy) for _ in range(2)]
    for thread in threads: thread.start()
    statuses = []
    for n in range(30):
        pid = os.fork()
        if pid == 0:
            mark(f"child {n}")
            assert sorted(map(int, os.listdir("/proc/self/fd")))[:4] == [0, 1, 2, 3]
            os._exit(7)
        statuses.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    stop.set()
    for thread in threads: thread.join()
    assert statuses == [7] * 30, statuses
    """
    ran = left_alone(tmp_path, program, flags=["-W", "ignore"])
    assert {m for m in marks(ran) if m.startswith("child")} == {f"child {n}" for n in range(30)}


def test_another_program_in_the_same_process_goes_on_with_the_numbers(tmp_path):
    program = """
    import sys
    if "again" not in sys.argv:
        mark("first")
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, "program.py", "again"])
    mark("second")
    """
    ran = left_alone(tmp_path, program)
    assert marks(ran) == ["first", "second"]
    assert len(list(ran.folder.glob("events-*.jsonl"))) == 1
    numbers = [e["seq"] for e in ran.events]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_process_elsewhere_with_the_same_number_gets_a_file_of_its_own(tmp_path):
    program = """
    import sys, glob
    folder = os.environ["XLADOCTOR_RUN_DIR"]
    pid = os.fork()
    if pid == 0:
        import signal
        signal.pause()
    open(f"{folder}/events-{pid}.jsonl", "w").write('{"v":1,"seq":1,"t":0,"kind":"start","process":"other"}\\n')
    open("pid", "w").write(str(pid))
    os.kill(pid, 15)
    os.waitpid(pid, 0)
    """
    # The child is told which file is taken before it has written anything.
    program = program.replace(
        "signal.pause()",
        "signal.signal(15, lambda *_: (mark('child'), os._exit(0))); open('ready', 'w'); signal.pause()",
    )
    program = program.replace(
        "os.kill(pid, 15)",
        "import time\n    while not os.path.exists('ready'): time.sleep(0.01)\n    os.kill(pid, 15)",
    )
    ran = left_alone(tmp_path, program)
    pid = (tmp_path / "project" / "pid").read_text()
    assert (ran.folder / f"events-{pid}.jsonl").read_text().count("\n") == 1
    assert '"child"' in (ran.folder / f"events-{pid}0001.jsonl").read_text()


def test_limits_of_the_process(tmp_path):
    """A file limit with the deadly signal, no descriptor left: what cannot be written is counted, and said later."""
    program = """
    import resource, signal, time
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    folder = os.environ["XLADOCTOR_RUN_DIR"]
    size = max(os.path.getsize(f"{folder}/{f}") for f in os.listdir(folder))
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 700, hard))
    for n in range(12_000):
        mark(n)
    mark("x" * 10000)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    time.sleep(0.2)  # a disk that failed is not tried again at once
    mark("space again")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    files = []
    try:
        while True:
            files.append(open("/dev/null"))
    except OSError:
        pass
    mark("no descriptor")
    mark("none at the end")
    """
    ran = left_alone(tmp_path, program)
    written = marks(ran)
    assert written[-3:] == ["space again", "no descriptor", "none at the end"]
    lost = [e for e in ran.of("dropped") if e["recorder"] == "events"]
    assert {e["reason"] for e in lost} == {"file-limit"}
    assert sum(e["count"] for e in lost) == 12_001 - len(written) + 3 > 1000
    assert ran.events[-1]["kind"] == "end"


def test_the_run_folder_is_deleted(tmp_path):
    program = """
    import shutil
    mark(1)
    folder = os.environ["XLADOCTOR_RUN_DIR"]
    shutil.rmtree(folder)
    mark(2)
    assert not os.path.exists(folder)
    os.mkdir(folder)
    mark(3)
    if os.fork() == 0:
        mark(4)
        os._exit(0)
    os.wait()
    assert os.listdir(folder) == []
    """
    left_alone(tmp_path, program)


def test_links_and_pipes_in_the_place_of_our_file_are_not_written_to(tmp_path):
    program = """
    folder = os.environ["XLADOCTOR_RUN_DIR"]
    path = f"{folder}/events-{os.getpid()}.jsonl"
    open("mine.txt", "w").write("mine")
    os.unlink(path)
    os.symlink(os.path.abspath("mine.txt"), path)
    mark(1)
    assert open("mine.txt").read() == "mine"
    os.unlink(path)
    os.mkfifo(path)
    mark(2)
    os.unlink(path)
    """
    left_alone(tmp_path, program)


def test_functions_that_the_program_replaces(tmp_path):
    program = """
    import builtins, json, time
    def forbidden(*args, **kwargs):
        raise RuntimeError("this is mine")
    kept = {name: getattr(os, name) for name in ("open", "write", "close", "stat", "lstat", "replace", "getpid")}
    kept_open, kept_clock = builtins.open, time.monotonic
    for name in kept:
        setattr(os, name, forbidden)
    builtins.open = json.dumps = time.monotonic = forbidden
    mark(1)
    for name, function in kept.items():
        setattr(os, name, function)
    builtins.open, time.monotonic = kept_open, kept_clock
    mark(2)
    """
    assert marks(left_alone(tmp_path, program)) == ["1", "2"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change the user or the root folder")
@pytest.mark.parametrize("change", ["os.setuid(65534)", "os.chroot('.'); os.chdir('/')"])
def test_another_user_or_root_folder(tmp_path, change):
    ran = left_alone(tmp_path, f"mark(1)\n{change}\nmark(2)")
    assert marks(ran) == ["1"]
    assert [p for p in (tmp_path / "project").rglob("*") if p.name != "program.py"] == []


def test_ends_that_run_nothing_of_ours(tmp_path):
    for end in ("os._exit(0)", "os.kill(os.getpid(), 9)", "os.abort()"):
        folder = tmp_path / str(len(end))
        ran = run_program(folder, f"{MARK}mark(1)\nmark(2)\n{end}\n")
        assert marks(ran) == ["1", "2"], end


def test_an_interrupt_within_the_recorder_reaches_the_program(tmp_path):
    program = """
    import signal, sys
    disk = sys.modules["_xladoctor_probes.record.disk"]
    real = disk._write
    def slow(fd, data):
        done = real(fd, data)
        os.kill(os.getpid(), signal.SIGINT)
        return done
    signal.signal(signal.SIGINT, signal.default_int_handler)
    disk._write = slow
    try:
        mark(1)
    except KeyboardInterrupt:
        disk._write = real
    else:
        raise SystemExit("lost")
    mark(2)
    assert sorted(map(int, os.listdir("/proc/self/fd")))[:4] == [0, 1, 2, 3]
    """
    assert marks(left_alone(tmp_path, program)) == ["1", "2"]


def test_a_full_disk(tmp_path):
    """On a file system of its own, where one can be mounted: no damaged line, the space is said to have run out."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(disk)], capture_output=True)
    if mounted.returncode:
        pytest.skip("no file system can be mounted here")
    try:
        program = f"""
        fill = open({str(disk / "fill")!r}, "wb", buffering=0)
        mark(0)
        try:
            while True:
                fill.write(b"x" * 1024)
        except OSError:
            pass
        for n in range(1, 9000):
            mark(n)
        fill.truncate(0)
        mark("space again")
        """
        project = tmp_path / "project"
        project.mkdir()
        (project / "program.py").write_text(MARK + textwrap.dedent(program) + "\nprint('left alone')\n")
        folder = disk / "run"
        folder.mkdir()
        done = subprocess.run(
            [PYTHON, "program.py"], cwd=project, env=target_environment(folder), capture_output=True, text=True
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "left alone\n", "")
        events = read_events(folder)  # raises at a damaged line
        assert {e["reason"] for e in events if e["kind"] == "dropped"} == {"disk-full"}
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)


def test_the_signal_of_the_file_limit_would_kill_without_the_check(tmp_path):
    """The other tests can fail: the same limit ends a process that writes without looking."""
    program = (
        "import os, resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))\n"
        "os.write(os.open('f', os.O_CREAT | os.O_WRONLY), b'x' * 11)\n"
        "os.write(os.open('f', os.O_APPEND | os.O_WRONLY), b'x')\n"
    )
    done = subprocess.run([PYTHON, "-c", program], cwd=tmp_path, check=False)
    assert done.returncode < 0
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 10


def test_the_recorder_loads_on_every_python_that_is_here():
    code = "import sys; sys.path.insert(0, sys.argv[1]); import probes.record.recorder; print('loaded')"
    pythons = sorted(Path.home().glob(".pyenv/versions/3.*/bin/python")) or [Path(PYTHON)]
    for python in pythons:
        version = tuple(int(n) for n in python.parent.parent.name.split(".")[:2]) if len(pythons) > 1 else (3, 11)
        if version >= (3, 9):
            done = subprocess.run([str(python), "-c", code, str(ROOT)], capture_output=True, text=True, check=False)
            assert done.stdout == "loaded\n", (python, done.stderr)


def test_json_is_written_as_before(tmp_path):
    ran = left_alone(tmp_path, "mark('ä\\n\"')")
    (file,) = ran.folder.glob("events-*.jsonl")
    assert all(json.loads(line) for line in file.read_text("ascii").splitlines())
    assert marks(ran) == ['ä\n"']
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_search_path_is_the_programs_own_and_its_children_are_recorded(tmp_path):
    program = (
        MARK
        + """
import multiprocessing, subprocess, sys
CHILD = "import os, sys; os.environ['PTYCHO_MARK'] = 'child'; assert not [p for p in sys.path if 'probes' in p]"
if __name__ == "__main__":
    mark(1)
    assert not [p for p in sys.path if "probes" in p], sys.path
    subprocess.run([sys.executable, "-c", CHILD], check=True)
    spawned = multiprocessing.get_context("spawn").Process(target=mark, args=("spawned",))
    spawned.start()
    spawned.join()
"""
    )
    ran = run_program(tmp_path, program)
    assert (ran.status, ran.stdout, ran.stderr) == (0, "", "")
    assert sorted(marks(ran)) == ["1", "child", "spawned"]
