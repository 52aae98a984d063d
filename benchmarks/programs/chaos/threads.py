"""Threads that write files and lines; daemon threads are still there at the end."""
import queue
import threading
import time

from meeting import finish, meet

tasks, results = queue.Queue(), queue.Queue()


def work():
    while True:
        number = tasks.get()
        try:
            with open(f"part-{number:02d}.txt", "w") as file:
                file.write("".join(f"{number} {k}\n" for k in range(500)))
            results.put(number**2)
        except OSError:
            results.put(0)
        finally:
            tasks.task_done()


for _ in range(6):
    threading.Thread(target=work, daemon=True).start()
ticker = threading.Thread(target=lambda: [time.sleep(0.02) for _ in range(30)])
ticker.start()
for number in range(20):
    tasks.put(number)
tasks.join()
meet()
for number in range(20, 40):
    tasks.put(number)
tasks.join()
ticker.join()
print("sum", sum(results.get() for _ in range(40)), "threads", threading.active_count() >= 7)
finish()
