"""frostcast: command line of the frost forecast.

Without a command it checks the installation, shows the help and leaves with 0, as the
operators' cron job expects.
"""
import argparse
import atexit
import os
import shutil
import sys
import tempfile

import commands

_scratch = tempfile.mkdtemp(prefix="frost-")


@atexit.register
def _tidy():
    shutil.rmtree(_scratch, ignore_errors=True)
    print("scratch removed:", not os.path.exists(_scratch), file=sys.stderr)


def parser():
    p = argparse.ArgumentParser(prog="frostcast", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--scratch", default=_scratch, help=argparse.SUPPRESS)
    sub = p.add_subparsers(dest="command", metavar="COMMAND")
    for name, fn in commands.TABLE.items():
        c = sub.add_parser(name, help=fn.__doc__)
        c.set_defaults(run=fn)
        c.add_argument("--nights", type=int, default=64)
    return p


def rejects(argv):
    """True when the parser refuses argv with status 2."""
    try:
        parser().parse_args(argv)
    except SystemExit as stop:
        return stop.code == 2
    return False


def main(argv):
    p = parser()
    if not argv:
        bad = [a for a in (["melt"], ["train", "--nights", "many"]) if not rejects(a)]
        if bad:
            p.exit(1, f"the parser accepts {bad}\n")
        status = commands.doctor(p.parse_args(["doctor"]))
        print("doctor says", status)
        argv = ["--help"]
    args = p.parse_args(argv)
    return args.run(args)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
