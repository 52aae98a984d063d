"""What every test needs of its process."""

from __future__ import annotations

import signal
import threading

if threading.current_thread() is threading.main_thread():
    # `make test &` in a script starts with these ignored, and so would every program that a test starts and signals.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
