"""Plain Python, no TensorFlow: arguments, environment, an atexit function, an exit status of its own."""
import atexit
import os
import sys
import warnings

from meeting import finish, meet


@atexit.register
def goodbye():
    with open("goodbye.txt", "w") as file:
        file.write("goodbye\n")
    finish()


print(sys.argv[1:], sys.flags.optimize, sys.path[0].endswith("chaos"), sys.stdin.read(10))
names = ("HOME", "LANG", "LD_PRELOAD", "PYTHONSTARTUP", "XLA_FLAGS", "TF_XLA_FLAGS", "TF_CPP_MIN_LOG_LEVEL", "COLUMNS")
print({k: os.environ[k] for k in names if k in os.environ})
try:
    import odd_helper  # there where PYTHONPATH leads to it

    print("helper of PYTHONPATH:", odd_helper.VALUE)
except ImportError:
    print("no helper")
print("set by a sitecustomize:", getattr(sys, "odd_site", None))
print("encoding", sys.stdout.encoding, sys.stderr.errors, "umask", oct(os.umask(0o22)))
os.umask(0o77)
warnings.warn("a warning of the program")
meet()
with open("result.csv", "w") as file:
    file.writelines(f"{k},{k**3}\n" for k in range(1000))
print("recursion:", (f := lambda n: n if n == 0 else 1 + f(n - 1))(900))
sys.exit("it ends with a message")
