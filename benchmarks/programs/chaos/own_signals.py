"""Handles signals itself: saves on SIGTERM, SIGINT and SIGHUP, counts SIGUSR1 and SIGALRM, and reports what it inherited."""
import signal
import sys
import time

from meeting import finish, meet

inherited = {s.name: str(signal.getsignal(s)).split(" at ")[0] for s in (signal.SIGHUP, signal.SIGPIPE, signal.SIGINT)}
print("inherited", inherited, "blocked", sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])), flush=True)
seen = []


def save(number, frame):
    with open("saved.txt", "w") as file:
        file.write(f"saved at {signal.Signals(number).name}\n")
    print("saving because of", signal.Signals(number).name, flush=True)
    sys.exit(9)


for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
        signal.signal(number, save)
for number in (signal.SIGUSR1, signal.SIGALRM, signal.SIGCHLD):
    signal.signal(number, lambda number, frame: seen.append(signal.Signals(number).name))

signal.raise_signal(signal.SIGUSR1)
signal.setitimer(signal.ITIMER_REAL, 0.05)
time.sleep(0.2)
meet()
time.sleep(0.3)
signal.raise_signal(signal.SIGUSR1)
print("seen", sorted(set(seen) - {"SIGCHLD"}))
finish()
sys.exit(6)
