"""A machine with a GPU, made of files: what XLA would find on it, and what `versions` says of it."""

import sys
from types import SimpleNamespace

import pytest

from xladoctor.preflight import cuda
from xladoctor.preflight.checks import versions
from xladoctor.preflight.study import Study
from xladoctor.recording import interpreter

BUILD = "import collections\nbuild_info = collections.OrderedDict([{}])\n"
WITH_CUDA = "('cuda_version', '12.5.1'), ('is_cuda_build', True)"
VERSION = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  {}  Thu Oct 19 00:00:00 UTC 2023\nGCC version: 12.2.0\n"
OPEN = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {}  Release Build  (root@host)\n"


class Machine:
    """A file system with a driver, a TensorFlow package, and whatever else a test puts in."""

    def __init__(self, root):
        self.root = root
        self.environment = {"PATH": str(root / "usr/bin")}
        self.packages = {"tensorflow": "2.21.0", "keras": "3.15.0"}
        self.cwd = self.folder("home/study")
        self.build(WITH_CUDA)
        # As in the library of a TensorFlow: C strings.
        self.file("site/tensorflow/libtensorflow_cc.so.2", "\0../nvidia/cuda_nvcc\0../../../..\0")

    def folder(self, name):
        made = self.root / name
        made.mkdir(parents=True, exist_ok=True)
        return made

    def file(self, name, text=""):
        path = self.folder(name.rpartition("/")[0]) / name.rpartition("/")[2]
        path.write_text(text)
        return path

    def build(self, told):
        self.file("site/tensorflow/python/platform/build_info.py", BUILD.format(told))

    def driver(self, version, text=VERSION):
        self.file("proc/driver/nvidia/version", text.format(version))

    def libdevice(self, root):
        return self.file(f"{root}/nvvm/libdevice/libdevice.10.bc")

    def ptxas(self, folder, version):
        file = self.file(f"{folder}/ptxas", f"#!/bin/sh\necho 'Cuda compilation tools, release 12.5, V{version}'\n")
        file.chmod(0o755)
        return file

    def complete(self):
        self.driver("535.129.03")
        self.libdevice("usr/local/cuda")
        self.ptxas("usr/local/cuda/bin", "12.5.82")
        return self

    def check(self, monkeypatch, device="gpu"):
        found = interpreter.Interpreter(
            sys.executable, "3.11.2", "CPython", str(self.root), "x86_64", self.packages,
            {"tensorflow": str(self.root / "site/tensorflow/__init__.py")},
        )  # fmt: skip
        monkeypatch.setattr(interpreter, "ask", lambda python=None: found)
        monkeypatch.setattr(cuda, "ROOT", self.root)
        study = Study(name="s", python=sys.executable, device=device)
        return versions.check(SimpleNamespace(study=study, environment=self.environment, cwd=self.cwd))


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_a_machine_that_has_all_of_it(machine, monkeypatch):
    found = machine.complete().check(monkeypatch)
    assert found.state == "pass", found
    told = "\n".join(found.details)
    assert "driver 535.129.03" in told and "built with CUDA 12.5.1" in told
    assert "usr/local/cuda/bin/ptxas, version 12.5.82" in told


def test_without_a_driver_nothing_is_guessed(machine, monkeypatch):
    found = machine.check(monkeypatch)
    assert found.state == "pass"
    assert any("could not be checked: this machine has no NVIDIA driver" in d for d in found.details)
    assert not any("is not found" in d for d in found.details)


def test_a_study_on_a_cpu_needs_none_of_it(machine, monkeypatch):
    machine.driver("400.1")
    found = machine.check(monkeypatch, device="cpu")
    assert found.state == "pass" and not any("driver" in d for d in found.details)


def test_the_case_of_report_003(machine, monkeypatch):
    machine.driver("535.129.03")
    found = machine.check(monkeypatch)
    assert (found.state, found.slugs) == ("fail", ("libdevice-missing", "ptxas-missing"))
    assert found.message.startswith("libdevice.10.bc is not found; XLA looks in ")
    for folder in ("home/study/cuda_sdk_lib", "usr/local/cuda", "site/nvidia/cuda_nvcc", "site/tensorflow/cuda"):
        assert str(machine.root / folder) in found.message
    assert "tensorflow[and-cuda]" in found.todo


@pytest.mark.parametrize(
    "root", ["home/study/cuda_sdk_lib", "usr/local/cuda", "site/nvidia/cuda_nvcc", "site/tensorflow/cuda"]
)
def test_libdevice_where_xla_looks(machine, monkeypatch, root):
    machine.driver("535.129.03")
    machine.ptxas("usr/bin", "12.5.82")
    machine.libdevice(root)
    assert machine.check(monkeypatch).state == "pass"


def test_libdevice_in_the_working_directory_is_the_last_resort(machine, monkeypatch):
    machine.driver("535.129.03")
    machine.ptxas("usr/bin", "12.5.82")
    machine.file("home/study/libdevice.10.bc")
    assert machine.check(monkeypatch).state == "pass"


def test_a_flag_leads_xla_to_it(machine, monkeypatch):
    machine.driver("535.129.03")
    machine.libdevice("opt/cuda")
    machine.ptxas("opt/cuda/bin", "12.5.82")
    before = machine.check(monkeypatch)
    assert before.state == "fail"
    assert before.todo == f"Give its folder: XLA_FLAGS=--xla_gpu_cuda_data_dir={machine.root / 'opt/cuda'}."
    machine.environment["XLA_FLAGS"] = f"--xla_gpu_cuda_data_dir={machine.root / 'opt/cuda'}"
    assert machine.check(monkeypatch).state == "pass"


@pytest.mark.parametrize(("version", "said"), [("11.7.64", "takes 11.8.0 and newer"), ("12.3.103", "faulty")])
def test_a_ptxas_that_xla_passes_over(machine, monkeypatch, version, said):
    machine.complete()
    early = machine.ptxas("usr/bin", version)
    found = machine.check(monkeypatch)
    assert found.state == "pass", "a good one comes later"
    assert any(str(early) in d and said in d for d in found.details)
    (machine.root / "usr/local/cuda/bin/ptxas").unlink()
    found = machine.check(monkeypatch)
    assert (found.state, found.slugs) == ("fail", ("ptxas-missing",))
    assert said in found.message


def test_what_stands_in_for_ptxas(machine, monkeypatch):
    machine.driver("535.129.03")
    machine.libdevice("usr/local/cuda")
    assert machine.check(monkeypatch).state == "fail"
    machine.environment["XLA_FLAGS"] = "--xla_gpu_unsafe_fallback_to_driver_on_ptxas_not_found=true"
    assert machine.check(monkeypatch).state == "warn"
    machine.environment.pop("XLA_FLAGS")
    machine.packages |= {"nvidia-nvjitlink-cu12": "12.5.82", "nvidia-cuda-nvcc-cu12": "12.5.82"}
    assert machine.check(monkeypatch).state == "warn"


@pytest.mark.parametrize("text", [VERSION, OPEN])
@pytest.mark.parametrize(("version", "state"), [("470.82.01", "fail"), ("525.60.13", "pass"), ("580.65.06", "pass")])
def test_drivers(machine, monkeypatch, text, version, state):
    machine.complete()
    machine.driver(version, text)
    found = machine.check(monkeypatch)
    assert found.state == state
    assert state == "pass" or f"driver {version} is too old for CUDA 12.5.1" in found.message


def test_a_tensorflow_without_cuda_beside_a_gpu(machine, monkeypatch):
    machine.complete().build("('is_cuda_build', False)")
    found = machine.check(monkeypatch)
    assert found.state == "warn" and "will not use the GPU" in found.message


def test_libraries_of_pip_for_another_cuda(machine, monkeypatch):
    machine.complete().packages["nvidia-cuda-runtime-cu11"] = "11.8.89"
    found = machine.check(monkeypatch)
    assert found.state == "warn" and "built for CUDA 12" in found.message


@pytest.mark.parametrize("text", ["", "build_info = 3", "build_info = f(x)", "def", "\x00"])
def test_a_build_that_tells_nothing(machine, text):
    machine.file("site/tensorflow/python/platform/build_info.py", text)
    assert cuda.build_of(str(machine.root / "site/tensorflow/__init__.py")) == {}


def test_the_tensorflow_of_this_environment_tells_its_build():
    from importlib.util import find_spec

    spec = find_spec("tensorflow")
    if spec is None:
        pytest.skip("no TensorFlow here")
    assert isinstance(cuda.build_of(spec.origin)["is_cuda_build"], bool)
