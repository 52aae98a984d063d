import tensorflow as tf


def weighted_sum(rows, trade):
    sent = tf.gather(rows, trade.src) * trade.volume[:, None]
    return tf.math.segment_sum(sent, trade.dst)


def strongest(rows, trade):
    sent = tf.gather(rows, trade.src) * trade.volume[:, None]
    return tf.math.unsorted_segment_max(sent, trade.dst, trade.nodes)


KINDS = {"sum": weighted_sum, "max": strongest}
