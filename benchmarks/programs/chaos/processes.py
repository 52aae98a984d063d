"""A pool, a spawned and a forked process; each child prints and writes a file."""
import multiprocessing
import os
import sys

from meeting import finish, meet


def child(name):
    print("child", name, flush=True)
    with open(f"child-{name}.txt", "w") as file:
        file.write(name * 100)
    sys.exit(0 if name != "third" else 4)


def square(n):
    return n * n


def main():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print("squares", pool.map(square, range(8)), flush=True)
    meet()
    for method, name in (("fork", "first"), ("spawn", "second"), ("fork", "third")):
        process = multiprocessing.get_context(method).Process(target=child, args=(name,))
        process.start()
        process.join()
        print(name, "ended with", process.exitcode, flush=True)
    pid = os.fork()
    if pid == 0:
        descriptor = os.open("forked.txt", os.O_WRONLY | os.O_CREAT, 0o644)
        os.write(descriptor, b"descriptor\n")
        os._exit(3)
    print("forked child:", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    finish()


if __name__ == "__main__":
    main()
