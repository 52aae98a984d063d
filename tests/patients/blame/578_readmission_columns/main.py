import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import argparse

import keras

from readmit import calibration
from readmit.importance import importance
from readmit.nets import NETS, bagged
from readmit.preprocessing import CATEGORICAL, NUMERIC, Preprocessor, target, temporal_split
from readmit.records import admissions

p = argparse.ArgumentParser()
p.add_argument("--net", choices=NETS, default="mlp")
p.add_argument("--members", type=int, default=2)
p.add_argument("--epochs", type=int, default=6)
p.add_argument("--cutoff", default="2021-07-01")


def main(a):
    keras.utils.set_random_seed(0)
    past, future = temporal_split(admissions(), a.cutoff)
    pre = Preprocessor().fit(past)
    x = pre.transform(past)
    model = bagged(a.net, x.shape[1], a.members)
    model.compile(keras.optimizers.Adam(5e-3), "binary_crossentropy",
                  metrics=[keras.metrics.AUC(name="auc")])
    model.fit(x, target(past), epochs=a.epochs, batch_size=32, verbose=0)
    print(f"{model.name}: {len(past)} admissions before, {len(future)} after {a.cutoff}")
    xf, yf = pre.transform(future), target(future)
    loss, auc = model.evaluate(xf, yf, verbose=0)
    rows = calibration.table(yf, model.predict(xf, verbose=0).ravel())
    for n, mean, observed in rows:
        print(f"  {n:4d} patients: predicted {mean:.2f} observed {observed:.2f}")
    predict = lambda df: model.predict(pre.transform(df), verbose=0).ravel()
    top = importance(predict, past, target(past), NUMERIC + CATEGORICAL)
    print("importance:", ", ".join(f"{c} {v:+.3f}" for c, v in top[:3]))
    print(f"loss {loss:.3f} AUC {auc:.3f} calibration error {calibration.expected_error(rows):.3f}")


if __name__ == "__main__":
    main(p.parse_args())
