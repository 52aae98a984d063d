import numpy as np
import tensorflow as tf

OPTS = dict(score=0.5, iou=0.4, max_boxes=5, labels=("car", "van", "bike", "person"))


def decode(raw, anchors):
    """raw (N, 4 + C) -> corner boxes (N, 4), class scores (N, C)"""
    xy = tf.sigmoid(raw[:, :2]) + anchors[:, :2]
    wh = tf.exp(raw[:, 2:4]) * anchors[:, 2:]
    boxes = tf.concat([xy - wh / 2, xy + wh / 2], axis=1)
    return boxes, tf.sigmoid(raw[:, 4:])


def filter_boxes(boxes, scores, threshold):
    best = tf.argmax(scores, axis=1)
    best_score = tf.reduce_max(scores, axis=0)
    keep = best_score >= threshold
    return (tf.boolean_mask(boxes, keep),
            tf.boolean_mask(best_score, keep),
            tf.boolean_mask(best, keep))


def suppress(boxes, scores, classes, opts):
    idx = tf.image.non_max_suppression(boxes, scores, opts["max_boxes"], opts["iou"])
    return tf.gather(boxes, idx), tf.gather(scores, idx), tf.gather(classes, idx)


class Detector:
    def __init__(self, opts, n_anchors=30, seed=0):
        rng = np.random.default_rng(seed)
        self.opts = opts
        self.anchors = tf.constant(rng.uniform(1, 10, (n_anchors, 4)), tf.float32)
        self.head = tf.keras.layers.Dense(4 + len(opts["labels"]))

    def __call__(self, features):
        boxes, scores = decode(self.head(features), self.anchors)
        kept = filter_boxes(boxes, scores, self.opts["score"])
        return suppress(*kept, self.opts)


det = Detector(OPTS)
feature_rows = tf.random.stateless_normal((30, 16), seed=(1, 2))
boxes, scores, classes = det(feature_rows)
for b, s, c in zip(boxes.numpy(), scores.numpy(), classes.numpy()):
    print(OPTS["labels"][c], round(float(s), 3), b.round(2))
