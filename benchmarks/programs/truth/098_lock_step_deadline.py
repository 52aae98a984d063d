"""Two cooperating agents under a hard deadline of the operating system."""
import signal
import threading
import numpy as np
import tensorflow as tf

DEADLINE = 5


class Agent(threading.Thread):
    def __init__(self, name, first, second, board):
        super().__init__(name=name, daemon=True)
        self.first, self.second, self.board = first, second, board
        self.meet = None

    def run(self):
        with self.first:
            self.meet.wait()
            with self.second:
                self.board.append(float(tf.reduce_sum(tf.constant(np.ones(3), tf.float32))))


def main():
    signal.alarm(DEADLINE)
    left, right, board = threading.Lock(), threading.Lock(), []
    agents = [Agent("ann", left, right, board), Agent("bob", right, left, board)]
    barrier = threading.Barrier(2)
    for agent in agents:
        agent.meet = barrier
        agent.start()
    print("agents started", flush=True)
    for agent in agents:
        agent.join()
    signal.alarm(0)
    print("board", board)


main()
