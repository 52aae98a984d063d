"""Defect scoring: parse CSV lines, train a tiny scorer."""
import argparse
import tensorflow as tf


def get_args(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--columns", type=int, default=5)
    ap.add_argument("--batch", type=int, default=8)
    ap.add_argument("--gamma", type=float, default=2.0)
    return ap.parse_args(argv if argv is not None else [])


def csv_lines(columns, n=32):
    rows = []
    for i in range(n):
        vals = ["%.3f" % (((i * 7 + k * 3) % 11) / 11) for k in range(columns)]
        rows.append(",".join(vals + [str(i % 2)]))
    return rows


def parser(columns):
    defaults = [0.0] * columns + [0]

    def parse(line):
        fields = tf.io.decode_csv(line, record_defaults=defaults)
        return tf.stack(fields[:-1]), fields[-1]
    return parse


def focal(y, p, gamma):
    p = tf.clip_by_value(p, 1e-5, 1 - 1e-5)
    pt = y * p + (1 - y) * (1 - p)
    return -tf.reduce_mean((1 - pt) ** gamma * tf.math.log(pt))


def main():
    args = get_args()
    ds = tf.data.Dataset.from_tensor_slices(csv_lines(args.columns))
    ds = ds.map(parser(args.columns)).batch(args.batch)
    w = tf.Variable(tf.zeros([args.columns, 1]))
    b = tf.Variable(0.0)
    opt = tf.keras.optimizers.SGD(0.1)
    for x, y in ds:
        with tf.GradientTape() as tape:
            p = tf.sigmoid(tf.squeeze(x @ w, -1) + b)
            loss = focal(y, p, args.gamma)
        opt.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b]))
    print("last loss", float(loss))


if __name__ == "__main__":
    main()
