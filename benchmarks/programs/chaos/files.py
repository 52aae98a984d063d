"""Files by relative paths, temporary files, descriptors of its own, locks, links and renames."""
import fcntl
import mmap
import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

from meeting import finish, meet

print("here:", sorted(os.listdir(".")))
Path("out/deep").mkdir(parents=True)
Path("out/deep/a.txt").write_text("a\n")
log = open("out/log.txt", "a", buffering=1)
log.write("before\n")
raw = os.open("out/raw.bin", os.O_RDWR | os.O_CREAT, 0o640)
os.write(raw, b"x" * 5000)
held = tempfile.NamedTemporaryFile(delete=False)
held.write(b"before ")
meet()
try:
    log.write("after\n")
    os.pwrite(raw, b"yy", 100)
    with mmap.mmap(raw, 0) as view:
        view[200:203] = b"zzz"
    held.write(b"after")
    held.close()
except OSError as error:  # after closerange
    print("lost descriptors:", type(error).__name__)
with tempfile.TemporaryDirectory() as folder:
    Path(folder, "part").write_text("part")
    shutil.copy(Path(folder, "part"), "out/copy")
os.symlink("a.txt", "out/deep/link")
os.rename("out/copy", "out/deep/renamed")
with open("lock", "w") as lock:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
database = sqlite3.connect("runs.db")
database.execute("create table runs (name text)")
database.execute("insert into runs values ('one')")
database.commit()
print(database.execute("select * from runs").fetchall())
database.close()
print("next descriptor is small:", os.open(os.devnull, os.O_RDONLY) < 40)
print("tree:", sorted(str(p) for p in Path("out").rglob("*")))
finish()
