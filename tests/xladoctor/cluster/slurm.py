"""A real Slurm on this machine: Debian's daemons, as root and without systemd, with a key and a socket of their own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue")
CONF = """
ClusterName=doctor
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={place}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.pid
SlurmctldLogFile={place}/slurmctld.log
SlurmdLogFile={place}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
KillWait=2
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
NodeName={host} NodeHostname={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=2000 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
"""


def missing() -> list[str]:
    """The programs that are not there."""
    return [name for name in NEEDED if shutil.which(name) is None]


@contextmanager
def running(place: Path) -> Iterator[dict[str, str]]:
    """The environment in which `sbatch` reaches it. `place` has a short path: sockets have no long ones."""
    started: list[subprocess.Popen[bytes]] = []
    host = socket.gethostname().partition(".")[0]
    for name in ("state", "spool"):
        (place / name).mkdir()
    place.chmod(0o755)
    key, conf = place / "munge.key", place / "slurm.conf"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    ports = {name: _free_port() for name in ("control", "node")}
    conf.write_text(CONF.format(place=place, host=host, cpus=os.cpu_count(), **ports))
    environment = {**os.environ, "SLURM_CONF": str(conf)}

    def start(*words: str) -> None:
        log = (place / f"{words[0]}.out").open("wb")
        started.append(subprocess.Popen(words, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL))

    try:
        start(
            *("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={place}/munge.socket"),
            *(f"--pid-file={place}/munged.pid", f"--log-file={place}/munged.log", f"--seed-file={place}/munge.seed"),
        )
        _until(lambda: (place / "munge.socket").exists(), place, "munged")
        start("slurmctld", "-D", "-f", str(conf))
        start("slurmd", "-D", "-f", str(conf), "-N", host)
        _until(lambda: _idle(environment), place, "slurmd")
        try:
            yield environment
        finally:
            # Else what watches over each job outlives the daemons.
            _said(["scancel", "--user=root"], environment)
            _until(lambda: not jobs(environment), place, "the end of the jobs")
    finally:
        for process in reversed(started):
            process.terminate()
        for process in reversed(started):
            _wait(process)


def _wait(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def jobs(environment: dict[str, str]) -> list[str]:
    """The jobs that run or wait."""
    return _said(["squeue", "--noheader"], environment).splitlines()


def _idle(environment: dict[str, str]) -> bool:
    return _said(["sinfo", "--noheader", "--format=%T"], environment).strip() in ("idle", "mixed")


def _said(words: list[str], environment: dict[str, str]) -> str:
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=20).stdout


def _until(holds, place: Path, what: str) -> None:  # type: ignore[no-untyped-def]
    deadline = time.monotonic() + 30
    while not holds():
        if time.monotonic() > deadline:
            logs = "\n".join(f"{log}: {log.read_text(errors='replace')[-600:]}" for log in place.glob("*.*o[ug]*"))
            raise RuntimeError(f"{what} did not come\n{logs}")
        time.sleep(0.1)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
