"""The target is safe: whatever becomes of the doctor, its disk and its streams, the target runs as without it."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.xladoctor.experiments import under
from tests.xladoctor.experiments.under import REPORT, ended, outcome, until

PYTHON = sys.executable


def python(source: str) -> tuple[str, ...]:
    return (PYTHON, "-S", "-c", source)


# Goes on when the file `go` is there.
TWO_LINES = """
import os, sys, time
print("one", os.getpid(), flush=True)
while not os.path.exists("go"): time.sleep(0.01)
print("two", flush=True); print("err", file=sys.stderr, flush=True)
open("done", "w").close()
raise SystemExit(7)
"""


class TestTheDoctorIsKilled:
    def test_a_pipe_still_carries_all_and_run_json_says_how_it_ended(self, tmp_path):
        run = tmp_path / "run"
        with under.popen(
            run, *python(TWO_LINES), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as doctor:
            assert doctor.stdout.readline().startswith(b"one ")
            doctor.kill()
            doctor.wait()
            (tmp_path / "go").touch()
            assert (doctor.stdout.read(), doctor.stderr.read()) == (b"two\n", b"err\n")
        until(lambda: outcome(run)["state"] != "running")
        assert (outcome(run)["state"], outcome(run)["code"], outcome(run)["probes"]) == ("exited", 7, "absent")
        assert b"two\n" in (run / "stdout.log").read_bytes()

    def test_a_file_is_complete_and_was_the_targets_own_all_the_time(self, tmp_path):
        run, out = tmp_path / "run", tmp_path / "out"
        out.write_text("before\n")
        with (
            out.open("ab") as file,
            under.popen(run, *python(TWO_LINES), cwd=tmp_path, stdout=file, stderr=file) as doctor,
        ):
            pid = int(until(lambda: out.read_text().partition("one ")[2].strip()))
            assert os.path.samefile(f"/proc/{pid}/fd/1", out), "no relay at all"
            doctor.kill()
            doctor.wait()
            (tmp_path / "go").touch()
            until(lambda: ended(pid))
        assert out.read_text() == f"before\none {pid}\ntwo\nerr\n"
        until(lambda: outcome(run)["state"] == "exited")
        assert (run / "stderr.log").read_text() == f"one {pid}\ntwo\nerr\n"

    def test_the_time_out_still_holds(self, tmp_path):
        run = tmp_path / "run"
        source = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
        with under.popen(run, *python(source), timeout=4, stdout=subprocess.PIPE) as doctor:
            pid = int(doctor.stdout.readline())
            doctor.kill()
            until(lambda: ended(pid))
        assert until(lambda: outcome(run)["state"] == "timed-out")

    def test_a_rehearsal_ends_with_it(self, tmp_path):
        code = (
            "import os, sys; from pathlib import Path; from xladoctor import target\n"
            "target.run(sys.argv[2:], env=dict(os.environ), folder=Path(sys.argv[1]), timeout=None, stdout=None, "
            "stderr=None, detached=True)"
        )
        source = "import os, time; open('pid', 'w').write(str(os.getpid()) + '.'); time.sleep(600)"
        command = [PYTHON, "-c", code, str(tmp_path), *python(source)]
        with subprocess.Popen(command, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(under.ROOT)}) as doctor:
            file = tmp_path / "pid"
            until(lambda: file.exists() and file.read_text().endswith("."))
            doctor.kill()
        until(lambda: ended(int(file.read_text()[:-1])))


def test_the_keeper_is_killed_and_the_doctor_says_so(tmp_path):
    source = "import os; print(os.getppid(), flush=True); os.kill(os.getppid(), 9)"
    _, err = under.run(tmp_path / "run", *python(source))
    assert b"was killed: how the run ended is not known" in err


class TestDisk:
    NOISY = "import sys\nfor n in range(4000): print(n, 'x' * 100)\nprint('last', file=sys.stderr)\nraise SystemExit(3)"

    def expected(self) -> bytes:
        return b"".join(b"%d %s\n" % (n, b"x" * 100) for n in range(4000))

    def test_ulimit_f(self, tmp_path):
        run = tmp_path / "run"
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))  # noqa: E731
        out, err = under.run(run, *python(self.NOISY), preexec_fn=limit)
        assert (out, err) == (self.expected() + REPORT, b"last\n"), "and nothing of ours"
        assert outcome(run)["code"] == 3
        log = outcome(run)["output"][0]
        assert (log["size"], log["kept"], log["lost"]) == (len(self.expected()), 50_000, "File too large")
        assert (run / "stdout.log").stat().st_size == 50_000

    def test_the_targets_own_limit_acts_as_without_us(self, tmp_path):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))  # noqa: E731
        command = ["dd", "if=/dev/zero", "of=big", "bs=90000", "count=2"]
        under.run(tmp_path / "run", *command, cwd=tmp_path, preexec_fn=limit)
        assert outcome(tmp_path / "run")["signal"] == "SIGXFSZ"

    def test_a_full_disk(self, tmp_path):
        with small_disk(tmp_path / "disk") as disk:
            out, err = under.run(disk / "run", *python(self.NOISY))
            assert out == self.expected() + REPORT
            assert err.startswith(b"last\n")
            log = (disk / "run" / "stdout.log").read_bytes()
        assert self.expected().startswith(log[:1000])

    def test_what_was_printed_last_is_kept_where_there_is_room_again(self, tmp_path):
        with small_disk(tmp_path / "disk") as disk:
            filler = disk / "filler"
            source = self.NOISY.replace("print('last'", f"__import__('os').remove({str(filler)!r}); print('last'")
            (disk / "filler").write_bytes(b"f" * 40_000)
            under.run(disk / "run", *python(source))
            log = outcome(disk / "run")["output"][0]
            text = (disk / "run" / "stdout.log").read_bytes()
        assert log["lost"] == "No space left on device"
        assert text.endswith(self.expected()[-20_000:])
        assert text.count(b"[xladoctor: ") == 1

    def test_the_run_folder_is_removed(self, tmp_path):
        run = tmp_path / "run"
        with under.popen(
            run, *python(TWO_LINES), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as doctor:
            first = doctor.stdout.readline()
            shutil.rmtree(run)
            (tmp_path / "go").touch()
            out, err = doctor.communicate()
        assert (out, err) == (b"two\n" + REPORT, b"err\n")
        assert (run / "stdout.log").read_bytes() == first + b"two\n"


@contextmanager
def small_disk(folder: Path):
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mount is not permitted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


class TestStreams:
    @pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
    def test_closed_ones_are_closed_and_the_target_runs(self, tmp_path, closed):
        source = "a=; for n in 0 1 2; do if [ -e /proc/$$/fd/$n ]; then a=$a$n; fi; done; echo $a > seen"
        command = " ".join(under.words(tmp_path / "run", "sh", "-c"))
        env = {**os.environ, "PYTHONPATH": str(under.ROOT)}
        subprocess.run(["sh", "-c", f"exec {command} '{source}' {closed}"], cwd=tmp_path, env=env, timeout=60)
        assert outcome(tmp_path / "run")["code"] == 0
        missing = ["<&-", ">&-", "2>&-"]
        expected = "".join(str(n) for n in range(3) if missing[n] not in closed.split())
        assert (tmp_path / "seen").read_text() == f"{expected}\n"

    def test_one_pipe_for_both_keeps_the_order(self, tmp_path):
        source = "import os\nfor n in range(300): os.write(1 + n % 2, b'%d\\n' % n)"
        out, _ = under.run(tmp_path / "run", *python(source), stderr=subprocess.STDOUT)
        assert out == b"".join(b"%d\n" % n for n in range(300)) + REPORT
        assert (tmp_path / "run" / "stderr.log").read_bytes() + REPORT == out

    def test_two_pipes_have_two_logs(self, tmp_path):
        out, err = under.run(tmp_path / "run", *python("import os; os.write(1, b'\\0\\xff'); os.write(2, b'e')"))
        assert (out, err) == (b"\0\xff" + REPORT, b"e")
        assert (tmp_path / "run" / "stdout.log").read_bytes() == b"\0\xff"
        assert (tmp_path / "run" / "stderr.log").read_bytes() == b"e"

    def test_a_reader_that_goes_away_is_the_targets_to_notice(self, tmp_path):
        under_head = under.words(tmp_path / "run", "yes")
        command = f"{' '.join(under_head)} | head -n 2"
        env = {**os.environ, "PYTHONPATH": str(under.ROOT)}
        done = subprocess.run(["sh", "-c", command], env=env, capture_output=True, timeout=60)
        assert done.stdout == b"y\ny\n"
        assert until(lambda: outcome(tmp_path / "run"))["signal"] == "SIGPIPE"

    def test_a_reader_that_is_gone_before_the_target_prints(self, tmp_path):
        source = "import time, os, sys\nprint(1, flush=True)\ntime.sleep(0.5)\nos.write(1, b'2')"
        with under.popen(tmp_path / "run", *python(source), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as doctor:
            assert doctor.stdout.readline() == b"1\n"
            doctor.stdout.close()
            assert b"BrokenPipeError" in doctor.stderr.read()

    def test_what_another_writes_into_the_same_file_is_not_overwritten(self, tmp_path):
        out = tmp_path / "out"
        with out.open("wb") as file:
            under.run(tmp_path / "run", "sh", "-c", "echo first; echo anew > /dev/stdout", stdout=file)
        assert out.read_bytes() == b"anew\n" + REPORT

    def test_the_log_of_a_file_begins_where_the_target_began(self, tmp_path):
        out = tmp_path / "out"
        with out.open("wb") as file:
            file.write(b"of the script before\n")
            file.flush()
            under.run(tmp_path / "run", "echo", "of the target", stdout=file)
        assert out.read_bytes() == b"of the script before\nof the target\n" + REPORT
        assert (tmp_path / "run" / "stdout.log").read_bytes() == b"of the target\n"

    def test_a_device_is_the_targets_own(self, tmp_path):
        with open("/dev/full", "wb") as full:
            _, err = under.run(tmp_path / "run", "echo", "x", stdout=full)
        assert b"No space left" in err
        assert outcome(tmp_path / "run")["output"][0]["log"] is None

    def test_descriptors_of_the_caller_reach_the_target_and_none_of_ours(self, tmp_path):
        source = "import os; os.write(7, b'seven'); print(sorted(map(int, os.listdir('/proc/self/fd'))))"
        with (tmp_path / "seven").open("wb") as file:
            both = {"preexec_fn": lambda: os.dup2(file.fileno(), 7), "close_fds": False}
            plain = subprocess.run(python(source), stdout=subprocess.PIPE, **both).stdout
            out, _ = under.run(tmp_path / "run", *python(source), **both)
        assert (tmp_path / "seven").read_bytes() == b"sevenseven"
        assert out == plain + REPORT

    def test_a_caller_whose_pipe_does_not_block(self, tmp_path):
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        source = "import os\nfor n in range(4): os.write(1, bytes([65 + n]) * 60_000)"
        with under.popen(tmp_path / "run", *python(source), stdout=writer):
            os.close(writer)
            time.sleep(0.3)
            with os.fdopen(reader, "rb") as stream:
                out = stream.read()
        assert out == b"".join(bytes([65 + n]) * 60_000 for n in range(4)) + REPORT

    def test_much_output_arrives_whole(self, tmp_path):
        source = "import os\nfor n in range(500): os.write(1, b'%06d' % n * 20_000)"
        out, _ = under.run(tmp_path / "run", *python(source), share=1 << 20)
        assert out == b"".join(b"%06d" % n * 20_000 for n in range(500)) + REPORT
        assert (tmp_path / "run" / "stdout.log").stat().st_size <= 1 << 20

    def test_a_target_that_closes_its_output_is_waited_for(self, tmp_path):
        source = "import os, time; os.close(1); os.close(2); time.sleep(0.3); os._exit(5)"
        under.run(tmp_path / "run", *python(source))
        assert outcome(tmp_path / "run")["code"] == 5

    def test_the_c_locale_stays_the_callers(self, tmp_path):
        env = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG"))}
        out, _ = under.run(tmp_path / "run", "sh", "-c", 'echo "[${LC_CTYPE-unset}]"', env=env)
        assert out == b"[unset]\n" + REPORT


class TestSignals:
    COUNTS = """
import os, signal, time
hits = []
for n in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1): signal.signal(n, lambda n, f: hits.append(n))
print(os.getpid(), flush=True)
end = time.monotonic() + 20
while not hits and time.monotonic() < end: time.sleep(0.01)
time.sleep(0.5)
print(*map(int, hits), flush=True)
"""

    @pytest.mark.parametrize(
        ("name", "send", "state"),
        [
            ("SIGINT", os.killpg, "interrupted"),
            ("SIGTERM", os.kill, "interrupted"),
            ("SIGUSR1", os.kill, "exited"),
        ],
    )
    def test_a_signal_arrives_once(self, tmp_path, name, send, state):
        """To the group, as Ctrl-C does, or to the doctor alone, as a batch system may."""
        number = getattr(signal, name)
        with under.popen(tmp_path / "run", *python(self.COUNTS), stdout=subprocess.PIPE) as doctor:
            pid = int(doctor.stdout.readline())
            assert os.getpgid(pid) == doctor.pid
            send(doctor.pid, number)
            assert doctor.stdout.read() == b"%d\n" % number + REPORT
        assert (outcome(tmp_path / "run")["state"], outcome(tmp_path / "run")["code"]) == (state, 0)

    @pytest.mark.parametrize("name", ["SIGHUP", "SIGINT"])
    def test_what_the_caller_ignores_stays_ignored(self, tmp_path, name):
        number = getattr(signal, name)
        source = f"""
import os, signal, time
print(signal.getsignal({int(number)}) is signal.SIG_IGN, flush=True)
while not os.path.exists("go"): time.sleep(0.01)
"""
        with under.popen(
            tmp_path / "run", *python(source), cwd=tmp_path, stdout=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(number, signal.SIG_IGN),
        ) as doctor:  # fmt: skip
            assert doctor.stdout.readline() == b"True\n"
            os.killpg(doctor.pid, number)
            (tmp_path / "go").touch()
            assert doctor.stdout.read() == REPORT
        assert (outcome(tmp_path / "run")["state"], outcome(tmp_path / "run")["code"]) == ("exited", 0)

    def test_a_caller_that_ignores_its_children(self, tmp_path):
        under.run(
            tmp_path / "run", "sh", "-c", "exit 6", preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        )
        assert outcome(tmp_path / "run")["code"] == 6

    def test_a_target_that_signals_its_own_group_is_no_interrupted_run(self, tmp_path):
        out, _ = under.run(tmp_path / "run", "sh", "-c", "trap 'exit 4' TERM; echo up; kill 0; sleep 9")
        assert out == b"up\n" + REPORT
        assert (outcome(tmp_path / "run")["state"], outcome(tmp_path / "run")["code"]) == ("exited", 4)

    def test_a_grandchild_that_keeps_the_output_lives_on_and_is_heard(self, tmp_path):
        source = "(while [ ! -e go ]; do sleep 0.05; done; echo late) & echo early"
        with under.popen(tmp_path / "run", "sh", "-c", source, cwd=tmp_path, stdout=subprocess.PIPE) as doctor:
            assert doctor.stdout.readline() == b"early\n"
            assert doctor.wait(timeout=90) == 0, "the doctor does not wait for it"
            (tmp_path / "go").touch()
            assert doctor.stdout.read() == REPORT + b"late\n"

    def test_a_time_out_ends_the_children_and_nobody_else(self, tmp_path):
        source = "sleep 600 & echo $!; (sleep 601 & echo $!); exec sleep 602"
        script = f"sleep 603 & echo $!; {' '.join(under.words(tmp_path / 'run', timeout=4))} sh -c '{source}'"
        env = {**os.environ, "PYTHONPATH": str(under.ROOT)}
        done = subprocess.run(["sh", "-c", f"{script}; kill -0 $!  && kill $!"], env=env, stdout=subprocess.PIPE,
                              preexec_fn=os.setpgrp, timeout=120)  # fmt: skip
        assert done.returncode == 0, "a job of the same script, in the same group, lives on"
        _, child, orphan = map(int, done.stdout.replace(REPORT, b"").split())
        until(lambda: ended(child) and ended(orphan))
        assert (outcome(tmp_path / "run")["state"], outcome(tmp_path / "run")["signal"]) == ("timed-out", "SIGABRT")
