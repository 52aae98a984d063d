"""Slips that are read in the source: each is found at its line, and not in the same program done right."""

from __future__ import annotations

import ast
import textwrap

import pytest

from xladoctor.sources.slips import slips

HEAD = "import tensorflow as tf\nimport keras\nimport os\nds = tf.data.Dataset.from_tensor_slices(x)\n"


def found(text, words=()):
    """(kind, line within the text) of what is found."""
    tree = ast.parse(HEAD + textwrap.dedent(text).lstrip("\n"))
    return [(slip.kind, slip.line - HEAD.count("\n")) for _, slip in slips({"main.py": tree}, words)]


CASES = {
    "append": ("late-bound", 3, """
        losses = []
        for q in (0.1, 0.9):
            losses.append(lambda t, p: q * (t - p))
        """, ("lambda t, p:", "lambda t, p, q=q:")),
    "def": ("late-bound", 3, """
        table = {}
        for name in names:
            def metric(t, p):
                return scores[name](t, p)
            table[name] = metric
        """, ("metric(t, p)", "metric(t, p, name=name)")),
    "derived": ("late-bound", 4, """
        heads = []
        for k in range(3):
            weight = weights[k]
            heads.append((k, lambda h: weight * h))
        """, ("lambda h:", "lambda h, weight=weight:")),
    "layers": ("late-bound", 1, """
        parts = [keras.layers.Lambda(lambda t: t * s)(h) for s in scales]
        """, ("lambda t:", "lambda t, s=s:")),
    "at once": ("late-bound", 1, """
        parts = [lambda t: t * s for s in scales]
        """, ("lambda t: t * s", "tf.map_fn(lambda t: t * s, h)")),
    "own list": ("late-bound", 4, """
        every = []
        for s in scales:
            part = []
            every.append(lambda t: t * s)
        """, ("every.append", "part.append")),
    "loop": ("always-zero", 3, """
        N = 40
        for step in range(N):
            opt.learning_rate.assign(0.1 * (1 - step // N))
        """, ("step // N", "step / N")),
    "scheduler": ("always-zero", 2, """
        def anneal(epoch, lr):
            return 0.1 * (1 - epoch // 30)
        net.fit(x, y, epochs=20, callbacks=[keras.callbacks.LearningRateScheduler(anneal)])
        """, ("epochs=20", "epochs=60")),
    "a count of traces": ("runs-while-traced", 5, """
        seen = 0
        @tf.function
        def step(x):
            global seen
            seen += 1
            return net(x)
        print(step(x), seen)
        """, ("seen", "n_traces")),
    "a list of traces": ("runs-while-traced", 4, """
        class Damped(keras.Model):
            def train_step(self, data):
                losses = super().train_step(data)
                self.kept.append(losses["loss"])
                return losses
        plot(damped.kept)
        """, ("self.kept.append(losses", "kept = dict(a=losses")),
    "traced writes": ("dropped-result", 5, """
        @tf.function
        def run(y):
            kept = tf.TensorArray(tf.float32, size=9)
            for i in tf.range(9):
                kept.write(i, y)
            return kept.stack()
        """, ("        kept.write", "        kept = kept.write")),
    "callbacks nobody gets": ("dropped-result", 1, """
        stops = [keras.callbacks.EarlyStopping(patience=3)]
        net.fit(x, y, epochs=9)
        """, ("epochs=9", "epochs=9, callbacks=stops")),
    "an optimizer nobody gets": ("dropped-result", 2, """
        def tuned(net):
            slow = keras.optimizers.AdamW(1e-5, clipnorm=1.0)
            net.compile("adamw", "mse")
            return net
        """, ('"adamw"', "slow")),
    "folds in one metric": ("never-reset", 6, """
        class Scores:
            def __init__(self):
                self.area = keras.metrics.AUC()

            def add(self, truth, p):
                self.area.update_state(truth, p)
                self.kept.append(float(self.area.result()))

        scores = Scores()
        for left_out in sites:
            net = build()
            net.fit(x[site != left_out], y[site != left_out])
            scores.add(y[site == left_out], net(x[site == left_out]))
        """, ("        self.area.update", "        self.area.reset_state()\n        self.area.update")),
    "folds in one loop": ("never-reset", 7, """
        area = keras.metrics.AUC(curve="PR")
        kept = {}
        for valley in valleys:
            net = build()
            net.fit(x[where != valley], y[where != valley])
            score = net.predict(x[where == valley])
            area.update_state(y[where == valley], score)
            kept[valley] = float(area.result())
        """, ("    kept[valley] = float(area.result())", "kept = float(area.result())")),
    "epochs in one metric": ("never-reset", 4, """
        hits = tf.keras.metrics.Recall()
        def rate(net, rows):
            for x, y in rows:
                hits.update_state(y, net(x))
            return float(hits.result())
        for epoch in range(5):
            print(rate(net, held_out))
        """, ("def rate(net, rows):\n", "def rate(net, rows):\n    hits.reset_state()\n")),
    "dataset": ("dropped-result", 1, "ds.shuffle(100)", ("ds.shuffle", "ds = ds.shuffle")),
    "tensor": ("dropped-result", 1, "tf.clip_by_value(g, -1.0, 1.0)", ("tf.", "g = tf.")),
    "copy": ("dropped-result", 2, """
        from dataclasses import replace
        replace(settings, **given)
        """, ("\nreplace(", "\nsettings = replace(")),
    "table": ("dropped-result", 1, "frame.sort_values('day')", ("frame.", "frame = frame.")),
    "sorted": ("dropped-result", 1, "sorted(files)", ("sorted(files)", "files.sort()")),
    "own function": ("dropped-result", 4, """
        def standardise(a):
            middle = a.mean(axis=0)
            return (a - middle) / a.std(axis=0)
        standardise(x_test)
        """, ("    return (a - middle)", "    a -= middle\n    return a")),
    "image": ("dropped-result", 1, "tf.image.flip_left_right(x)", ("tf.im", "x = tf.im")),
    "stopped": ("all-stopped", 2, """
        def call(self, z, q):
            return tf.stop_gradient(z + (q - z))
        """, ("tf.stop_gradient(z + (q - z))", "z + tf.stop_gradient(q - z)")),
    "stopped by names": ("all-stopped", 2, """
        delta = tf.sign(w) - w
        binary = keras.ops.stop_gradient(delta + w)
        """, ("keras.ops.stop_gradient(delta + w)", "w + keras.ops.stop_gradient(delta)")),
    "sign": ("all-stopped", 1, "soft = p + tf.stop_gradient(p - hard)", ("p - hard", "hard - p")),
    "array": ("dropped-result", 1, "np.clip(x, 0, 1)", ("0, 1)", "0, 1, out=x)")),
    "clipped": ("dropped-result", 3, """
        def step(x):
            grads = tape.gradient(loss, weights)
            clipped, norm = tf.clip_by_global_norm(grads, 1.0)
            opt.apply_gradients(zip(grads, weights))
            return norm
        """, ("zip(grads", "zip(clipped")),
    "only the norm": ("dropped-result", 2, """
        def step(grads, weights):
            clipped, norm = tf.clip_by_global_norm(grads, 1.0)
            opt.apply_gradients(zip(grads, weights))
        """, ("clipped, norm", "_, norm")),
    "items": ("dropped-result", 1, """
        small = [tf.clip_by_norm(g, 1.0) for g in grads]
        opt.apply_gradients(zip(grads, weights))
        """, ("zip(grads", "zip(small")),
    "loop variable": ("dropped-result", 3, """
        def update(decay):
            for s, w in zip(shadow.weights, net.weights):
                s = decay * s + (1 - decay) * w
        """, ("s = decay * s + (1 - decay) * w", "s.assign(decay * s + (1 - decay) * w)")),
    "augmented": ("dropped-result", 2, """
        def step(images):
            noisy = augment(images)
            return model(images)
        """, ("model(images)", "model(noisy)")),
    "target": ("one-model", 3, """
        def setup(self):
            self.online = build()
            self.target = self.online
            self.target.set_weights(self.online.get_weights())
        """, ("self.target = self.online", "self.target = clone(self.online)")),
    "average": ("one-model", 2, """
        model = build()
        ema = copy.copy(model)
        for a, b in zip(ema.weights, model.weights):
            a.assign(0.9 * a + 0.1 * b)
        """, ("copy.copy(model)", "clone(model)")),
    "parameter": ("read-early", 2, """
        CONFIG = {"units": 8}
        def build(units=CONFIG["units"]):
            return units
        CONFIG["units"] = 32
        build()
        """, ("build()\n", "build(32)\n")),
    "class": ("read-early", 2, """
        class Config:
            depth = int(os.environ.get("DEPTH", "1"))
        os.environ["DEPTH"] = "3"
        """, ('os.environ["DEPTH"] = "3"', "Config.depth = 3")),
    "defaults": ("defaults-win", 1, "opts = {**given, **DEFAULTS}", ("{**given, **DEFAULTS}", "{**DEFAULTS, **given}")),
    "update": ("defaults-win", 2, "opts = dict(given)\nopts.update(DEFAULTS)", ("dict(given)", "dict()")),
    "one of two": ("shuffled-alone", 3, """
        def shuffle(pos, patterns):
            order = np.random.permutation(len(pos))
            return pos[order], patterns
        """, ("pos[order], patterns", "pos[order], patterns[order]")),
    "one of several": ("shuffled-alone", 4, """
        def arrays(runs):
            x, amp, phi = (np.concatenate(a) for a in runs)
            order = np.random.permutation(len(x))
            return x[order], amp, phi
        """, ("return x[order], amp, phi", "return x[order], amp[order], phi[order]")),
    "frames of positions": ("shuffled-alone", 5, """
        def make(rng):
            positions = corners(rng)
            patterns = expose(positions)
            order = rng.permutation(len(positions))
            patterns = patterns[order]
            flux = patterns.sum(axis=1)
            return {"positions": positions, "patterns": patterns, "flux": flux}
        """, ("patterns[order]\n", "patterns[order]; positions = positions[order]\n")),
    "a null": ("shuffled-alone", 3, """
        def pairs(x, y):
            order = rng.permutation(len(x))
            return x, y[order]
        """, ("def pairs", "def null_pairs")),
    "generator made anew": ("same-draw", 5, """
        class Sampler:
            def __init__(self, n, seed):
                self.n, self.seed = n, seed
            def draw(self):
                rng = np.random.default_rng(self.seed)
                return rng.integers(0, self.n, self.n)
        for member in range(9):
            rows = sampler.draw()
        """, ("rows = sampler.draw()", "rows = sampler.draw(member)")),
    "stateless": ("same-draw", 3, """
        SEED = (3, 4)
        def noise(n):
            return tf.random.stateless_normal([n], seed=SEED)
        for step in range(9):
            x = x + noise(40)
        """, ("noise(", "heldout(")),
    "dict of both": ("defaults-win", 1, "opts = dict(given, **DEFAULTS)", ("given, **DEFAULTS", "DEFAULTS, **given")),
    "chain": ("defaults-win", 1, "opts = ChainMap(DEFAULTS, given)", ("DEFAULTS, given", "given, DEFAULTS")),
    "bool": ("text-for-true", 2, """
        ap = argparse.ArgumentParser()
        ap.add_argument("--augment", type=bool, default=True)
        """, ("type=bool", "type=boolean")),
    "key": ("other-key", 2, """
        CONFIG = {"train": {"lr": 0.1}}
        rate = cfg.get("learning_rate", 1e-3)
        """, ('"learning_rate"', '"lr"')),
    "evaluation": ("trains-in-evaluation", 3, """
        net = keras.Sequential([keras.layers.Dropout(0.5)])
        def evaluate(x):
            return net(x, training=True)
        """, ("training=True", "training=False")),
    "several draws": ("trains-in-evaluation", 3, """
        net = keras.Sequential([keras.layers.Dropout(0.5)])
        def evaluate(x):
            return net(x, training=True)
        """, ("return net(x, training=True)", "return mean(net(x, training=True) for _ in range(30))")),
    "metric": ("never-reset", 5, """
        mae = keras.metrics.MeanAbsoluteError()
        for epoch in range(4):
            for xb, yb in ds:
                mae.update_state(yb, net(xb))
            print(mae.result())
        """, ("print(mae.result())", "print(mae.result()); mae.reset_state()")),
    "another metric": ("never-reset", 8, """
        mae = keras.metrics.MeanAbsoluteError()
        mse = keras.metrics.MeanSquaredError()
        for epoch in range(4):
            for m in (mse,):
                m.reset_state()
            for xb, yb in ds:
                mae.update_state(yb, net(xb)); mse.update_state(yb, net(xb))
            print(mae.result(), mse.result())
        """, ("(mse,)", "(mse, mae)")),
    "wrapped": ("late-bound", 4, """
        steps = []
        for model in models:
            opt = keras.optimizers.Adam(0.1)
            def step(x):
                return opt.apply(model(x))
            steps.append(tf.function(step))
        """, ("step(x)", "step(x, model=model, opt=opt)")),
    "module": ("read-early", 2, """
        CONFIG = {"lr": 0.1}
        RATE = float(CONFIG["lr"])
        def main(args):
            CONFIG["lr"] = args.lr
            return keras.optimizers.Adam(RATE)
        """, ("Adam(RATE)", 'Adam(CONFIG["lr"])')),
    "never called": ("never-called", 2, """
        class Agent:
            def update_target(self):
                self.target.set_weights(self.online.get_weights())
        agent = Agent()
        agent.learn()
        """, ("agent.learn()", "agent.learn(); agent.update_target()")),
    "hook": ("unknown-hook", 2, """
        class Warm(tf.keras.callbacks.Callback):
            def on_epoch_start(self, epoch, logs=None):
                self.weight.assign(min(1.0, epoch / 10))
        """, ("on_epoch_start", "on_epoch_begin")),
    "hook of a sequence": ("unknown-hook", 3, """
        from keras.utils import PyDataset
        class Tiles(PyDataset):
            def on_epoch_ends(self):
                self.rng.shuffle(self.order)
        """, ("on_epoch_ends", "on_epoch_end")),
    "hook of one's own": ("unknown-hook", 2, """
        class Watch(keras.callbacks.Callback):
            def on_batch_done(self, batch):
                self.seen.append(batch)
        """, ("keras.callbacks.Callback", "Callback")),
    "constants": ("always-zero", 2, "PARTS, ALL = 3, 4\nshare = 1 // 10", ("1 // 10", "10 // 3")),
    "one layer": ("one-object", 1, "stack = [keras.layers.Dense(8)] * 3", ("[keras.layers.Dense(8)]", "[0.0]")),
    "one list": ("one-object", 1, "seen = dict.fromkeys(names, [])", ("[])", "0)")),
    "default": ("one-object", 1, """
        def note(value, history=[]):
            history.append(value)
            return history
        for fold in range(3):
            note(fold)
        """, ("note(fold)", "note(fold, [])")),
    "generator": ("spent", 3, """
        batches = ((x[i], y[i]) for i in parts)
        for epoch in range(5):
            for xb, yb in batches:
                step(xb, yb)
        """, ("((x[i], y[i]) for i in parts)", "[(x[i], y[i]) for i in parts]")),
    "own generator": ("spent", 6, """
        def read():
            for i in parts:
                yield x[i]
        rows = read()
        for epoch in range(5):
            for i, row in enumerate(rows):
                step(row)
        """, ("enumerate(rows)", "enumerate(read())")),
    "layer": ("layer-per-call", 3, """
        class Net(keras.Model):
            def call(self, x):
                return keras.layers.Dense(1)(self.body(x))
        """, ("keras.layers.Dense(1)(", "keras.layers.Flatten()(")),
    "variable": ("text-for-true", 1, """
        AUGMENT = os.environ.get("AUGMENT", "0")
        if AUGMENT:
            x = noisy(x)
        """, ("if AUGMENT:", "if AUGMENT == '1':")),
    "never asked": ("never-asked", 2, """
        ap = argparse.ArgumentParser()
        ap.add_argument("--augment", type=str)
        args = ap.parse_args()
        rate = args.rate
        """, ("args.rate", "args.augment")),
    "constructor": ("argument-ignored", 3, """
        class Attention(keras.layers.Layer):
            def __init__(self, fused=None, heads=2):
                self.fused = True
                self.heads = heads
        layer = Attention(fused=settings.fused)
        """, ("self.fused = True", "self.fused = True if fused is None else fused")),
    "wrapped constructor": ("argument-ignored", 4, """
        make = Attention.__init__
        def forced(self, fused=None, **more):
            make(self, fused, **more)
            self.fused = True
        Attention.__init__ = forced
        layer = Attention(fused=settings.fused)
        """, ("self.fused = True", "self.seen = True")),
    "replaced parameter": ("argument-ignored", 2, """
        def resampled(signal, rate, window="hann"):
            window = "boxcar"
            return filtered(signal, rate, window)
        y = resampled(signal, 8, options.window)
        """, ("options.window", "'boxcar'")),
    "two layouts": ("two-layouts", 4, """
        def spread(frames):
            return frames.std(axis=(1, 2)).mean()
        def load(frames, path):
            low = spread(frames)
            frames = np.transpose(frames, (0, 2, 3, 1))
            return frames / low, limits(frames, path)
        def limits(stack, path):
            return 3 * spread(stack)
        """, ("axis=(1, 2)", "axis=(1, 2, 3)")),
    "order": ("one-reordered", 5, """
        order = rng.permutation(len(x))
        def batches():
            for s in range(0, len(x), 8):
                part = order[s : s + 8]
                yield x[part], y[s : s + 8]
        """, ("y[s : s + 8]", "y[part]")),
    "order at once": ("one-reordered", 3, """
        np.random.shuffle(self.idx)
        for a in starts:
            step(self.sound[self.idx[a : a + n]], self.word[a : a + n])
        """, ("self.word[a : a + n]", "self.word[self.idx[a : a + n]]")),
    "seed": ("same-draw", 4, """
        KEY = (3, 4)
        @tf.function
        def step(x):
            noise = tf.random.stateless_normal(tf.shape(x), seed=KEY)
            return net(x + noise)
        for x in ds:
            step(x)
        """, ("seed=KEY", "seed=keys[step]")),
    "flip": ("same-draw", 2, """
        def augment(image, label):
            return tf.image.stateless_random_flip_left_right(image, seed=(1, 2)), label
        ds = ds.map(augment)
        """, ("(image, seed=(1, 2))", "(image, seed=new_seed())")),
    "sums": ("never-zeroed", 4, """
        totals = [tf.Variable(tf.zeros_like(v)) for v in net.trainable_variables]
        def collect(grads):
            for i, g in enumerate(grads):
                totals[i].assign_add(g)
        def flush():
            opt.apply_gradients(zip(totals, net.trainable_variables))
            for t in totals:
                log(t)
        """, ("log(t)", "t.assign(tf.zeros_like(t))")),
    "pool": ("padded-mean", 3, """
        def pool(h, mask):
            h = h * mask[..., None]
            return tf.reduce_mean(h, axis=1)
        """, ("tf.reduce_mean(h, axis=1)", "tf.reduce_sum(h, axis=1) / tf.reduce_sum(mask, axis=1)")),
    "sweep": ("kept-itself", 4, """
        def settle(n):
            level = np.zeros((n, n))
            for k in range(100):
                before = level
                level[1:-1] = 0.5 * (level[:-2] + level[2:])
                if np.abs(level - before).max() < 1e-6:
                    return level
        """, ("before = level", "before = level.copy()")),
    "path": ("kept-itself", 5, """
        position = rng.normal(size=(9, 3))
        path = []
        for k in range(10):
            position += 0.1 * force(position)
            path.append(position)
        """, ("append(position)", "append(position + 0.0)")),
    "noise": ("kept-itself", 2, """
        clean = np.load("plates.npy")
        noisy = clean
        noisy += rng.normal(size=clean.shape)
        model.fit(noisy, clean)
        """, ("noisy +=", "noisy = noisy +")),
    "restored": ("kept-itself", 3, """
        class Search:
            def keep(self):
                self.best = self.net.weights
            def back(self):
                self.net.set_weights(self.best)
        """, ("self.net.weights", "self.net.get_weights()")),
    "moved": ("kept-itself", 1, """
        before = [v for v in net.trainable_variables]
        train()
        moved = [float(abs(a - b)) for a, b in zip(net.trainable_variables, before)]
        """, ("[v for", "[v.numpy() for")),
    "kernel": ("kept-itself", 1, """
        start = layer.kernel
        train(layer)
        print(np.abs(layer.kernel - start).max())
        """, ("start = layer.kernel", "start = layer.kernel.numpy()")),
    "section": ("text-for-true", 3, """
        parser = configparser.ConfigParser()
        parser.read_string("[run]\\ndetrend = no\\n")
        detrend = bool(parser["run"]["detrend"])
        """, ('bool(parser["run"]["detrend"])', 'parser.getboolean("run", "detrend")')),
    "types": ("text-for-true", 4, """
        DEFAULTS = {"order": 3, "detrend": True}
        for line in lines:
            key, raw = line.strip().split("=")
            out[key] = type(DEFAULTS[key])(raw)
        """, ("True}", "2.0}")),
    "columns": ("text-for-true", 2, """
        for row in csv.DictReader(io.StringIO("id,valid\\n1,0\\n")):
            kept += bool(row["valid"])
        """, ('bool(row["valid"])', 'row["valid"] == "1"')),
    "half": ("unscaled-loss", 5, """
        keras.mixed_precision.set_global_policy("mixed_float16")
        def step(x, y):
            with tf.GradientTape() as tape:
                loss = loss_fn(y, model(x, training=True))
            grads = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(grads, model.trainable_variables))
        """, ("mixed_float16", "mixed_bfloat16")),
    "half of a compiled model": ("unscaled-loss", 6, """
        keras.config.set_dtype_policy("mixed_float16")
        class Net(keras.Model):
            def train_step(self, data):
                with tf.GradientTape() as tape:
                    loss = self.loss_of(data)
                self.optimizer.apply(tape.gradient(loss, self.trainable_variables))
                return {"loss": loss}
        """, ("self.loss_of(data)", "self.optimizer.scale_loss(self.loss_of(data))")),
    "setting": ("setting-unread", 3, """
        def build(config):
            units = config["units"]
            dropout = config["dropout"]
            return keras.Sequential([Dense(units), Dropout(0.2)])
        """, ("0.2", "dropout")),
    "attribute": ("setting-unread", 4, """
        class Trainer:
            def __init__(self, cfg):
                self.rate = cfg.rate
                self.clip = cfg.clip
            def optimizer(self):
                return Adam(self.rate)
        """, ("Adam(self.rate)", "Adam(self.rate, clipnorm=self.clip)")),
    "unread parameter": ("setting-unread", 1, """
        def loader(x, y, batch, augment):
            return tf.data.Dataset.from_tensor_slices((x, y)).batch(batch)
        train = loader(x, y, settings.batch, settings.augment)
        """, (".batch(batch)", ".batch(batch if augment else 1)")),
    "overwritten": ("setting-unread", 3, """
        def stop(args):
            patience = args.patience
            patience = 10
            return EarlyStopping(patience=patience)
        """, ("patience = 10", "patience = 10 if args.fast else patience")),
    "of a class": ("setting-unread", 5, """
        class TrainConfig:
            units: int = 8
            rate: float = 0.1
            epochs: int = 3
            smoothing: float = 0.1
        def go(cfg):
            fit(Dense(cfg.units), Adam(cfg.rate), cfg.epochs)
        """, ("cfg.epochs)", "cfg.epochs, cfg.smoothing)")),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_slip_is_found_at_its_line_and_not_where_it_is_done_right(name):
    kind, line, text, (wrong, right) = CASES[name]
    words = ["python", "main.py", "--augment", "False"]
    assert found(text, words) == [(kind, line)]
    text = textwrap.dedent(text).lstrip("\n") + "\n"
    assert wrong in text
    assert found(text.replace(wrong, right), words) == []


def test_an_option_that_was_not_given_is_no_matter():
    text = CASES["bool"][2]
    assert found(text, ["python", "main.py"]) == []
    assert found(text, ["python", "main.py", "--augment=True"]) == []
    assert found(text + '\n        ap.parse_args(["--augment", "no"])') == [("text-for-true", 2)]


def test_fixed_numbers_and_rows_that_were_put_in_order_are_no_slips():
    order = "order = rng.permutation(n)\n"
    for reads in ("y = y[order]\n", "y = rng.normal(size=n)\n"):
        assert found(order + reads + "def f(s):\n    p = order[s:9]\n    return x[p], y[s:9]") == []
    assert found(order + "p = order[s:9]\nout[s:9] = model(x[p])") == []
    fixed = "def call(self, x):\n    w = tf.random.stateless_normal([3, 4], seed=(1, 2))\n    return x @ w"
    assert found(fixed) == []
    once = "def make(x):\n    return x + tf.random.stateless_normal(x.shape, seed=(1, 2))\nx = make(x)"
    assert found(once) == []
    assert found("def f(e, mask):\n    return tf.reduce_mean(e * mask)") == []


def test_a_value_that_is_restored_or_shared_is_no_slip():
    assert found("model = build()\nbest = model\nbest.fit(x)") == []
    assert found("for k in range(3):\n    out = sorted(rows, key=lambda r: r[k])") == []
    assert found("for epoch in range(4):\n    stage = epoch // 2") == []
    assert found("kind: str | NoDefault = 1") == []
    kept = 'def f():\n    return OLD\nOLD = cfg["a"]\ncfg["a"] = 0\nf()\ncfg["a"] = OLD'
    assert found(kept) == []


def test_a_second_name_and_a_list_of_new_arrays_are_no_slips():
    assert found("out = np.zeros(9)\nview = out\nview[3] = 2\nreturned(out)") == []
    assert found("for k in range(3):\n    x = np.zeros(4)\n    x += k\n    path.append(x)") == []
    assert found("total = 0\nfor k in range(3):\n    last = total\n    total += k\n    log(last, total)") == []
    filled = "score = np.zeros(3)\ntable['score'] = score\nfor i in range(3):\n    score[i] = i\nlog(table)"
    assert found(filled) == []
    own = "def f(self, n):\n    b = np.zeros(n)\n    self.b = b\n    b[0] = 1\n    return self.b"
    assert found(own) == []
    both = "for t, s in zip(target.weights, source.weights):\n    t.assign(0.9 * t + 0.1 * s)\nmine = source.weights"
    assert found(both) == []
    step = "names = net.trainable_variables\nfor g, v in zip(tape.gradient(loss, names), names):\n    v.assign(v - g)"
    assert found(step) == []


def test_settings_that_are_handed_on_whole_or_serve_no_number_are_no_slips():
    table = 'CFG = {"units": 8, "rate": 0.1, "epochs": 3, "clip": 0.5}\n'
    asked = 'f(CFG["units"], CFG["rate"], CFG["epochs"])\n'
    assert found(table + asked) == [("setting-unread", 1)]
    assert found(table + asked + "build(**CFG)") == []
    assert found(table + asked + "for key in CFG:\n    log(key)") == []
    assert found(table.replace("clip", "seed") + asked) == []
    assert found("def f(cfg):\n    units = cfg.units\n    return lambda x: x * units") == []
    assert found("def f(cfg):\n    path = cfg.path\n    return 1") == []
    given = "def f(x, t):\n    return x\ndef g(x, t):\n    return x + t\n"
    assert found(given + "TABLE = (f, g)\nf(1, 0.5)") == []
    twice = "class A:\n    def f(self, x, t):\n        return x\nclass B:\n    def f(self, x, t):\n        return t\n"
    assert found(twice + "A().f(1, 0.5)") == []


def test_a_loss_that_the_program_scales_itself_is_no_slip():
    text = textwrap.dedent(CASES["half"][2]) + "\n"
    assert found(text.replace("y, model(x, training=True))", "y, model(x)) * scale")) == []
    assert found(text.replace("optimizer.apply_gradients", "log")) == []


def test_a_question_whether_a_text_is_empty_is_no_slip():
    assert found('DEBUG = bool(os.environ.get("DEBUG"))') == []
    assert found("for line in open(p):\n    full = bool(line.strip())") == []
    typed = 'DEFAULTS = {"a": 1, "b": True}\nkey, raw = line.split("=")\nd = DEFAULTS[key]\n'
    assert found(typed + 'out = raw == "yes" if isinstance(d, bool) else type(d)(raw)') == []


def test_an_argument_that_nobody_gives_and_a_table_both_ways_are_no_slips():
    fixed = "class A:\n    def __init__(self, fused=None):\n        self.fused = True\n"
    assert found(fixed + "a, b, c = A(), A(fused=True), B(fused=flag)") == []
    checked = fixed.replace("        self", "        if fused is False:\n            raise ValueError\n        self")
    assert found(checked + "a = A(fused=flag)") == []
    for turned in ("t.transpose(1, 0)", "np.transpose(t, (0, 2, 1))"):
        both = f"def f(t):\n    a = mid(t)\n    u = {turned}\n    return a, mid(u)"
        assert found("def mid(t):\n    return t.mean(axis=0)\n" + both) == []


def test_every_optimizer_of_keras_has_to_be_given_to_something():
    for name in ("Adafactor", "Ftrl", "Lamb", "Muon", "SGD"):
        made = f"opt = keras.optimizers.{name}(0.1)\n"
        assert found(f'{made}net.compile("sgd", "mse")') == [("dropped-result", 1)]
        assert found(f'{made}net.compile(opt, "mse")') == []
    assert found('ready = Scaler(0.1)\nnet.compile("sgd", "mse")') == []
