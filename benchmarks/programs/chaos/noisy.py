"""Megabytes to both streams, as text and as bytes, with and without ends of lines."""
import os
import sys

from meeting import finish, meet

line = "epoch 1 loss 0.123456 " + "." * 60
for k in range(12000):
    print(k, line)
    if k % 3 == 0:
        print("W", k, line, file=sys.stderr)
sys.stdout.flush()
meet()
sys.stdout.buffer.write(bytes(range(256)) * 400)
sys.stdout.buffer.flush()
for k in range(300):
    sys.stderr.write(f"\r{k / 3:.0f} %")
sys.stderr.write("\n\x1b[31mred\x1b[0m \xe9\u20ac no end of line".encode("utf-8", "replace").decode("utf-8"))
sys.stderr.flush()
os.write(1, b"half a line ")
for k in range(12000):
    print(k, line)
print()
print(file=sys.stderr)
finish()
