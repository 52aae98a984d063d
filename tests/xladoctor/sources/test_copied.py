"""Settings that were taken when a module was imported, and are set afterwards."""

from __future__ import annotations

import ast
import textwrap

import pytest

from xladoctor.sources.slips.copied import copied

CONFIG = "EPOCHS = 4\nCFG = {'rate': 0.1}\ndef reset(n):\n    global EPOCHS\n    EPOCHS = n\n"
TRAIN = "from config import EPOCHS\ndef train(model):\n    model.fit(x, epochs=EPOCHS)\n"
MAIN = """
    import argparse
    import config
    import train
    def main():
        config.EPOCHS = 30
        train.train(model())
    main()
    """


def found(words=(), **files):
    """(file, line) of what is found."""
    trees = {f"{name}.py": ast.parse(textwrap.dedent(text)) for name, text in files.items()}
    return [(file, slip.line) for file, slip in copied(trees, words)]


def test_a_name_that_an_import_bound():
    assert found(config=CONFIG, train=TRAIN, main=MAIN) == [("train.py", 1)]


def test_a_function_of_the_module_sets_it():
    main = MAIN.replace("config.EPOCHS = 30", "config.reset(30)")
    assert found(config=CONFIG, train=TRAIN, main=main) == [("train.py", 1)]


@pytest.mark.parametrize(
    ("train", "line"),
    [
        ("import config\nN = int(config.CFG['rate'])\ndef train(m):\n    m.fit(N)\n", 2),
        ("from config import CFG\ndef train(m, rate=CFG['rate']):\n    m.fit(rate)\n", 2),
        ("import config as c\nclass Plan:\n    rate = c.CFG['rate']\n", 3),
    ],
)
def test_an_entry_that_a_definition_took(train, line):
    main = MAIN.replace("config.EPOCHS = 30", "config.CFG['rate'] = 30")
    assert found(config=CONFIG, train=train, main=main) == [("train.py", line)]


ACCESSORS = {
    "settings": "_values = {'epochs': 3}\ndef load(given):\n    _values.update(given)\n"
    "def get(name):\n    return _values[name]\n",
    "solver": "import settings\ndef solve(x, epochs=settings.get('epochs')):\n    return x * epochs\n",
    "run": "import settings\nfrom solver import solve\ndef main():\n    settings.load({'epochs': 40})\n"
    "    solve(1)\nmain()\n",
}


@pytest.mark.parametrize(
    ("file", "old", "new", "lines"),
    [
        ("run", "", "", [("solver.py", 2)]),
        ("run", "solve(1)", "solve(1, settings.get('epochs'))", []),
        ("run", "import settings\n", "import settings\nsettings.load({'epochs': 40})\n", []),
        ("solver", "epochs=settings.get('epochs')", "epochs=None", []),
        ("settings", "_values.update(given)", "dict(_values).update(given)", []),
    ],
)
def test_an_entry_that_a_function_gives(file, old, new, lines):
    assert found(**{**ACCESSORS, file: ACCESSORS[file].replace(old, new)}) == lines


@pytest.mark.parametrize(
    ("files", "old", "new"),
    [
        ("train", TRAIN, "import config\ndef train(model):\n    model.fit(x, epochs=config.EPOCHS)\n"),
        ("train", "def train(model):\n    model.fit(x, epochs=EPOCHS)", "print(EPOCHS)"),
        ("main", "def main():", "def main():\n        before = config.EPOCHS"),
        ("main", "    import train\n    def main():\n        config.EPOCHS = 30",
         "    config.EPOCHS = 30\n    import train\n    def main():\n        pass"),
        ("main", "    import train\n    def main():\n        config.EPOCHS = 30",
         "    def main():\n        config.EPOCHS = 30\n        import train"),
    ],
)  # fmt: skip
def test_a_setting_that_is_asked_for_in_time(files, old, new):
    texts = {"config": CONFIG, "train": TRAIN, "main": MAIN}
    assert old in texts[files]
    assert found(**{**texts, files: texts[files].replace(old, new)}) == []


def test_an_option_that_was_not_given_and_is_the_setting_itself():
    main = MAIN.replace(
        "config.EPOCHS = 30",
        "p = argparse.ArgumentParser()\n        p.add_argument('--epochs', type=int, default=config.EPOCHS)\n"
        "        args = p.parse_args()\n        config.EPOCHS = args.epochs",
    )
    assert found(config=CONFIG, train=TRAIN, main=main) == []
    assert found(["--epochs", "9"], config=CONFIG, train=TRAIN, main=main) == [("train.py", 1)]


FIELDS = {
    "settings": "class Settings:\n    dose = 1.0\n    def read(self, given):\n        self.dose = given['dose']\n"
    "current = Settings()\n",
    "solver": "from settings import current\nDOSE = current.dose\ndef solve(x):\n    return x * DOSE\n",
    "run": "import solver\nfrom settings import current\ndef main():\n    current.read({'dose': 40})\n"
    "    solver.solve(1)\nmain()\n",
}


@pytest.mark.parametrize(
    ("file", "old", "new", "lines"),
    [
        ("run", "", "", [("solver.py", 2)]),
        ("settings", "self.dose = given['dose']", "setattr(self, 'dose', given['dose'])", [("solver.py", 2)]),
        ("run", "current.read({'dose': 40})", "current.dose = 40", [("solver.py", 2)]),
        ("run", "current.read({'dose': 40})", "print(current)", []),
        ("settings", "self.dose = ", "self.other = ", []),
        ("solver", "DOSE = current.dose\ndef solve(x):\n    return x * DOSE",
         "def solve(x):\n    return x * current.dose", []),
    ],
)  # fmt: skip
def test_a_field_of_an_object_that_all_modules_share(file, old, new, lines):
    files = {**FIELDS, file: FIELDS[file].replace(old, new)}
    assert found(**files) == lines
