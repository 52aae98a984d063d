"""Message passing on a road network read from an edge list."""
import collections
import numpy as np
import tensorflow as tf

EDGES = "a b\nb c\nc d\nd a\nb d\ne f"
START = "a"


class RoadNetwork:
    def __init__(self, text):
        self.links = {}
        for line in text.splitlines():
            u, v = line.split()
            self.links.setdefault(u, set()).add(v)
            self.links.setdefault(v, set()).add(u)
        self.index = {name: i for i, name in enumerate(sorted(self.links))}

    def distances(self, source):
        seen, frontier = {source: 0}, collections.deque([source])
        while frontier:
            node = frontier.popleft()
            for other in self.links[node]:
                if other not in seen:
                    seen[other] = seen[node] + 1
                    frontier.append(other)
        return seen

    def positions(self, source):
        d = self.distances(source)
        return tf.constant([[float(d[name])] for name in self.index])


network = RoadNetwork(EDGES)
adjacency = np.zeros((len(network.index),) * 2, "float32")
for u, vs in network.links.items():
    for v in vs:
        adjacency[network.index[u], network.index[v]] = 1
h = network.positions(START)
for _ in range(2):
    h = tf.matmul(adjacency / adjacency.sum(1, keepdims=True), h)
print("smoothed distances", h.numpy().ravel().round(2))
