"""Leaf disease service: answer uploads."""
import numpy as np
import tensorflow as tf

DISEASES = ["healthy", "rust", "mildew"]
SIDE = 40


def decode_upload(buf):
    img = tf.io.decode_png(buf.read(), channels=3)
    img = tf.image.resize(img, (SIDE, SIDE))
    return img.numpy()


class Service:
    def __init__(self, model):
        self.model = model
        self.served = 0

    def answer(self, upload):
        picture = decode_upload(upload)
        probs = self.model.predict(picture, verbose=0)
        self.served += 1
        top = int(np.argmax(probs[0]))
        return {"disease": DISEASES[top], "confidence": float(probs[0][top])}
