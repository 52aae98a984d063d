"""`python -m tests.golden`: write what the doctor says now, and name what changed."""

from tests.golden.outputs import write

for name in write():
    print("changed:", name)
