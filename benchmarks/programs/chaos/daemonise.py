"""A daemon as in the textbooks: double fork, setsid, every descriptor closed; it works on alone."""
import os
import sys
import time

from meeting import finish, meet

print("going into the background", flush=True)
meet()
finish()
if os.fork():
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
os.closerange(0, 256)
null = os.open(os.devnull, os.O_RDWR)
os.dup2(null, 1)
os.dup2(null, 2)
files = [os.open(f"data-{k}.bin", os.O_WRONLY | os.O_CREAT, 0o644) for k in range(8)]
for turn in range(20):
    for k, descriptor in enumerate(files):
        os.write(descriptor, bytes([k]) * 64)
    print("nobody reads this")
    time.sleep(0.02)
if os.fork() == 0:
    os.write(files[0], b"child of the daemon")
    os._exit(0)
os.wait()
import json  # noqa: E402  an import this late must not disturb anything either

with open("daemon.json", "w") as file:
    json.dump({"descriptors": files, "argv": sys.argv[1:]}, file)
