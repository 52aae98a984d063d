"""The clocks of the recorders, as they were when these were loaded: a program may put others into `time`."""

import time

of_thread = getattr(time, "thread_time", time.perf_counter)
"""Seconds of this thread alone: on a busy machine a look takes no more of it. Python 3.6 has none."""
