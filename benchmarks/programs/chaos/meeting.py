"""Where a program meets the bench: it stops in the middle of its work, is struck, and goes on."""
import os
import sys


def meet():
    """Say that we are in the middle of the work, and wait until the bench has struck."""
    folder = os.environ.get("CHAOS_MEETING")
    if not folder:
        return
    descriptor = os.open(os.path.join(folder, "go"), os.O_RDWR)  # a FIFO
    with open(os.path.join(folder, "ready"), "w") as file:
        file.write(str(os.getpid()))
    os.read(descriptor, 1)
    os.close(descriptor)
    if os.environ.get("CHAOS_INSIDE") == "closerange":
        os.closerange(3, 256)
    if os.environ.get("CHAOS_INSIDE") == "fork-storm":
        storm(60)


def storm(count):
    """Many children at once, each of which writes a line of its own; some write to our output."""
    children = []
    sys.stdout.flush()
    sys.stderr.flush()
    for number in range(count):
        pid = os.fork()
        if pid == 0:
            descriptor = os.open("storm.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            os.write(descriptor, b"gust\n")
            os.close(descriptor)
            if number % 10 == 0:
                os.write(1, b"gust\n")
            os._exit(number % 3)
        children.append(pid)
    print("storm over:", sum(os.waitpid(pid, 0)[1] != 0 for pid in children), flush=True)


def finish():
    """The last line of both streams."""
    print("END-OF-PROGRAM", flush=True)
    print("END-OF-PROGRAM", file=sys.stderr, flush=True)
