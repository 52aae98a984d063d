"""A shell that starts Pythons that start shells."""
import shlex
import subprocess
import sys

from meeting import finish, meet

GRANDCHILD = "import sys; print('grandchild', sys.argv[1]); open('leaf-'+sys.argv[1], 'w').write('leaf')"
CHILD = f"""
import subprocess, sys
print("child", sys.argv[1], flush=True)
for k in "ab":
    subprocess.run([sys.executable, "-c", {GRANDCHILD!r}, sys.argv[1] + k], check=True)
subprocess.run("echo shell of $0 >&2; exit 5", shell=True)
"""
print("captured:", subprocess.run(["sh", "-c", "echo one; echo two >&2"], capture_output=True, text=True), flush=True)
meet()
script = shlex.join([sys.executable, "-c", CHILD, "left"]) + "; echo status $?"
print("shell:", subprocess.call(["sh", "-c", script], close_fds=False), flush=True)
done = subprocess.run([sys.executable, "-c", CHILD, "right"], stdout=subprocess.PIPE, text=True)
print("right said", done.stdout.split(), done.returncode, flush=True)
print("killed child:", subprocess.call(["sh", "-c", "kill -9 $$"]), flush=True)
subprocess.Popen(["sh", "-c", "sleep 1.5; echo late > late.txt"])  # goes on alone, and keeps our streams
finish()
