"""What counts as compiled: entries, calls at a distance, across files; and what is not followed."""

from __future__ import annotations

import textwrap

import pytest

from xladoctor.lint import interpret
from xladoctor.lint.engine import lint
from xladoctor.lint.settings import Settings


def told(folder, files: dict[str, str], **given):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(textwrap.dedent(text))
    found = lint([str(folder)], Settings(**given)).diagnosis.findings
    return [f for f in found if f.code not in ("XD810", "XD812")]


ENTRIES = {
    "decorator": "@tf.function(jit_compile=True)\ndef f(x): tf.print(x)",
    "old-name": "@tf.function(experimental_compile=True)\ndef f(x): tf.print(x)",
    "expression": "@tf.function(jit_compile=USE)\ndef f(x): tf.print(x)",
    "partial": "@functools.partial(tf.function, jit_compile=True)\ndef f(x): tf.print(x)",
    "name-for-it": "jit = functools.partial(tf.function, jit_compile=True)\n@jit\ndef f(x): tf.print(x)",
    "made-once": "jit = tf.function(jit_compile=True)\n@jit\ndef f(x): tf.print(x)",
    "call": "def f(x): tf.print(x)\ng = tf.function(f, jit_compile=True)",
    "call-of-call": "def f(x): tf.print(x)\ng = tf.function(jit_compile=True)(f)",
    "lambda": "g = tf.function(lambda x: tf.print(x), jit_compile=True)",
    "xla-compile": "def f(x): tf.print(x)\ntf.xla.experimental.compile(f, [1])",
    "inner": "def make():\n    def f(x): tf.print(x)\n    return tf.function(f, jit_compile=True)",
    "method": "class M:\n    @tf.function(jit_compile=True)\n    def f(self, x): tf.print(x)",
    "own-method": "class M:\n    def __init__(self): self.g = tf.function(self.f, jit_compile=True)\n"
    "    def f(self, x): tf.print(x)",
    "v1": "import tensorflow.compat.v1 as t1\n@t1.function(jit_compile=True)\ndef f(x): t1.print(x)",
    "from-import": "from tensorflow import function, print as p\n@function(jit_compile=True)\ndef f(x): p(x)",
    "keras-model": "class M(tf.keras.Model):\n    def train_step(self, data): tf.print(data)\n"
    "def main():\n    m = M()\n    m.compile(jit_compile=True)",
    "keras-layer": "class L(tf.keras.layers.Layer):\n    def call(self, x): tf.print(x)\n"
    "def main(m):\n    m.compile(jit_compile=True)",
}  # fmt: skip
CALLS = {
    "function": "def g(x): tf.print(x)\n@JIT\ndef f(x): g(x)",
    "method-of-self": "class M:\n    def g(self, x): tf.print(x)\n    @JIT\n    def f(self, x): self.g(x)",
    "inherited": "class A:\n    def g(self, x): tf.print(x)\nclass B(A):\n    @JIT\n    def f(self, x): super().g(x)",
    "layer-held": "class L(tf.keras.layers.Layer):\n    def call(self, x): tf.print(x)\nclass M:\n"
    "    def __init__(self): self.l = L()\n    @JIT\n    def f(self, x): return self.l(x)",
    "layer-made": "class L(tf.keras.layers.Layer):\n    def call(self, x): tf.print(x)\n@JIT\ndef f(x): return L()(x)",
    "cond": "def g(): tf.print(1)\n@JIT\ndef f(x): return tf.cond(x[0] > 0, g, lambda: None)",
    "while": "@JIT\ndef f(x):\n    def body(i): tf.print(i); return i\n    tf.while_loop(lambda i: i < 3, body, [0])",
    "map": "@JIT\ndef f(x): return tf.map_fn(lambda r: tf.print(r), x)",
    "partial": "def g(a, b): tf.print(b)\n@JIT\ndef f(x): h = functools.partial(g, 1); return h(x)",
    "handed-on": "def g(h, x): return h(x)\n@JIT\ndef f(x): return g(lambda y: tf.print(y), x)",
    "given-away": "def g(x): tf.print(x)\n@JIT\ndef f(x, strategy): strategy.run(g, args=(x,))",
    "closure": "def make(n):\n    def g(x): tf.print(x, n)\n    @JIT\n    def f(x): g(x)\n    return f",
    "after-return-in-if": "@JIT\ndef f(x, flag):\n    if flag:\n        return x\n    tf.print(x)",
    "try": "@JIT\ndef f(x):\n    try:\n        tf.print(x)\n    except ValueError:\n        pass",
}  # fmt: skip
NOT_FOLLOWED = {
    "no-jit": "@tf.function\ndef f(x): tf.print(x)",
    "jit-false": "@tf.function(jit_compile=False)\ndef f(x): tf.print(x)",
    "auto": "class L(tf.keras.layers.Layer):\n    def call(self, x): tf.print(x)\n"
    "def main(m):\n    m.compile(jit_compile='auto')",
    "host-function": "def g(x): tf.print(x)\n@JIT\ndef f(x): return x\ndef h(x): return g(x)",
    "init-scope": "@JIT\ndef f(x):\n    with tf.init_scope():\n        v = tf.Variable(x)",
    "eager-branch": "@JIT\ndef f(x):\n    if tf.executing_eagerly():\n        tf.print(x)\n    return x",
    "first-time": "class M:\n    @JIT\n    def f(self, x):\n        if self.v is None:\n"
    "            self.v = tf.Variable(1.0)",
    "own-print": "def show(x): print(x)\n@JIT\ndef f(x): show(x)",
    "unknown-value": "import other\n@JIT\ndef f(x): return tf.range(other.count(x))",
    "static": "N = 4\n@JIT\ndef f(x): return tf.tile(x, [N, x.shape[0], len(x.shape), tf.shape(x)[0]])",
    "same-rows": "@JIT\ndef f(x):\n    return tf.signal.fft(tf.cond(x[0, 0] > 0, lambda: x * 2, lambda: -x))",
    "rows-unknown": "@JIT\ndef f(x, y):\n    return tf.cond(x[0, 0] > 0, lambda: x * 2, lambda: y[:, 0])",
    "python-if": "@JIT\ndef f(x, n: int):\n    y = x if n > 2 else x[:1]\n    return tf.signal.fft(y)",
    "recursion": "@JIT\ndef f(x): return g(x)\ndef g(x): return f(x)",
}  # fmt: skip
HEAD = "import functools\nimport tensorflow as tf\nfrom helper import USE\nJIT = tf.function(jit_compile=True)\n"


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry(name, tmp_path) -> None:
    head = HEAD.replace("JIT = tf.function(jit_compile=True)\n", "")
    assert [f.code for f in told(tmp_path, {"a.py": head + ENTRIES[name]})] == ["XD803"]


@pytest.mark.parametrize("name", CALLS)
def test_a_call_is_followed(name, tmp_path) -> None:
    assert {f.code for f in told(tmp_path, {"a.py": HEAD + CALLS[name]})} == {"XD803"}


@pytest.mark.parametrize("name", NOT_FOLLOWED)
def test_not_told(name, tmp_path) -> None:
    assert told(tmp_path, {"a.py": HEAD + NOT_FOLLOWED[name]}) == []


def test_py_functions_run_on_the_host(tmp_path) -> None:
    text = HEAD + "def g(x): return tf.print(x)\n@JIT\ndef f(x): return tf.py_function(g, [x], tf.float32)"
    assert [f.op for f in told(tmp_path, {"a.py": text})] == ["py_function"]


def test_across_files_with_the_way_there(tmp_path) -> None:
    files = {
        "pkg/__init__.py": "from .ops import spectrum\n",
        "pkg/ops.py": "import tensorflow as tf\n\n\ndef spectrum(rows):\n    return tf.signal.fft(rows)\n",
        "pkg/steps.py": """\
            import tensorflow as tf
            from pkg import spectrum

            @tf.function(jit_compile=True)
            def step(x, mask):
                return inner(tf.boolean_mask(x, mask))

            def inner(rows):
                return spectrum(rows)
            """,
    }
    [found] = told(tmp_path, files)
    assert (found.code, found.location.line, found.location.function) == ("XD806", 5, "spectrum")
    ways = [proof.text for proof in found.evidence[1:]]
    assert ways[0].startswith("step is compiled: jit_compile=True in ") and ways[0].endswith("steps.py:4")
    assert ways[1] == "called by way of inner (steps.py:6) > spectrum (steps.py:9)"


def test_assume_jit_takes_layers_and_functions_as_compiled(tmp_path) -> None:
    text = HEAD + NOT_FOLLOWED["no-jit"] + "\nclass L(tf.keras.layers.Layer):\n    def call(self, x): tf.print(x)\n"
    assert told(tmp_path, {"a.py": text}) == []
    assert [f.code for f in told(tmp_path, {"a.py": text}, assume_jit=True)] == ["XD803", "XD803"]


def test_code_that_is_too_much_is_told(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(interpret, "_STEPS", 50)
    body = "\n".join(f"    x = x + {n}" for n in range(50))
    (tmp_path / "a.py").write_text(f"{HEAD}@JIT\ndef f(x):\n    tf.print(x)\n{body}\n    return x\n")
    diagnosis = lint([str(tmp_path)], Settings()).diagnosis
    assert "XD803" in [f.code for f in diagnosis.findings]
    assert any(note.startswith("f (") and "too much code" in note for note in diagnosis.notes)


def test_config_by_way_of_a_function_and_another_module(tmp_path) -> None:
    files = {
        "params.py": "cfg = {'N': 64}\ndef set(k, v): cfg[k] = v\ndef get(k): return cfg[k]\n",
        "model.py": "import params\nfrom params import get\nN = get('N')\nclass M:\n    size = params.cfg['N']\n"
        "def use(): return params.cfg['N']\nif __name__ == '__main__':\n    print(get('N'))\n",
        "table.py": "REGISTRY = {}\ndef add(k, v): REGISTRY[k] = v\nX = REGISTRY.get('x')\n",
        "fixed.py": "cfg = {'N': 64}\nN = cfg['N']\n",
    }
    found = told(tmp_path, files)
    assert [(f.code, f.location.file[-8:], f.location.line) for f in found] == [
        ("XD802", "model.py", 3),
        ("XD802", "model.py", 5),
    ]


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("import tensorflow as tf\nimport os\nos.environ['XLA_FLAGS'] = '-'\n", ["note"]),
        ("import tensorflow as tf\nimport os\ntf.constant(1)\nos.environ['XLA_FLAGS'] = '-'\n", ["warning"]),
        ("import os\nos.environ['XLA_FLAGS'] = '-'\nimport tensorflow as tf\n", []),
        ("import helper\nimport os\nos.environ.setdefault('KERAS_BACKEND', 'jax')\n", ["warning"]),
        ("import tensorflow as tf\nimport os\nos.environ['HOME'] = '-'\n", []),
        (
            "import tensorflow as tf, os, subprocess\ndef f():\n    os.environ['XLA_FLAGS'] = '-'\n"
            "    subprocess.run([])\n",
            [],
        ),
        ("import tensorflow as tf\nimport os\ndef main():\n    os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'\n", ["note"]),
    ],
)  # fmt: skip
def test_the_environment(text, levels, tmp_path) -> None:
    found = told(tmp_path, {"main.py": text, "helper.py": "import keras\n"})
    assert [f.level for f in found if f.code == "XD801"] == levels


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("INPUT\ndef f(d): return d.batch(8)", 1),
        ("INPUT\ndef f(d): return d.batch(8, drop_remainder=True)", 0),
        ("INPUT\ndef f(d): return d.repeat().batch(8)", 0),
        ("INPUT\ndef f(d): return d.batch(4)", 0),
        ("INPUT\ndef f(m, x): m.predict(x, batch_size=8)", 1),
        ("def f(d, n):\n    tf.ensure_shape(d, [n, 3])\n    return d.batch(n)", 1),
        ("def f(d, n): return d.batch(n)\ndef g(x, n): return tf.ensure_shape(x, [n, 3])", 0),
    ],
)
def test_partial_batches(text, count, tmp_path) -> None:
    text = "import tensorflow as tf\n" + text.replace("INPUT", "i = tf.keras.Input((3,), batch_size=8)")
    assert [f.code for f in told(tmp_path, {"a.py": text})] == ["XD809"] * count
