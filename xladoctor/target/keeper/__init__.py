"""The keeper: a small process between the doctor and the target.

It starts the target, copies its output to the user's stream and to the run folder, and reports how it ended. It holds
the pipes and the pseudo-terminal, so that the target can go on when the doctor is killed. It runs in the doctor's own
Python with `-I -S`, imports the standard library only, and as little of that as it can: it starts in 20 ms.
"""
