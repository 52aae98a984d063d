"""Run the stages of a pipeline as separate processes."""
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
STAGES = [
    ("prepare", ["--rows", "12", "--cols", "5"]),
    ("solve", ["--rows", "12", "--cols", "6"]),
]


def run_stage(name, options):
    command = [sys.executable, str(HERE / "stage.py"), name, *options]
    print("stage", name, flush=True)
    subprocess.run(command, check=True)


def main():
    for name, options in STAGES:
        run_stage(name, options)
    print("pipeline complete")


if __name__ == "__main__":
    main()
