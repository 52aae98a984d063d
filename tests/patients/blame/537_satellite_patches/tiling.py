import tensorflow as tf


class Tiler:
    def __init__(self, tile=16, stride=12):
        self.tile = tile
        self.stride = stride

    def positions(self, length):
        count = (length - self.tile) // self.stride + 2
        return [i * self.stride for i in range(count)]

    def cut(self, image, top, left):
        return tf.slice(image, [top, left, 0], [self.tile, self.tile, -1])

    def tiles(self, image):
        h, w, _ = image.shape
        out = []
        for top in self.positions(h):
            for left in self.positions(w):
                out.append(self.cut(image, top, left))
        return tf.stack(out)
