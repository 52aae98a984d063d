"""Keys of files of settings without effect, and what looks like them and is right."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from xladoctor.sources.files import Files
from xladoctor.sources.setting_trees import parse_settings
from xladoctor.sources.slips.stray_settings import settings_of, stray_settings

NESTED = """
DEFAULTS = {"fit": {"learning_rate": 0.01, "rounds": 4}, "net": {"units": 8, "depth": 2}, "tag": "x"}

def over(base, more):
    for k, v in more.items():
        base[k] = over(base[k], v) if isinstance(v, dict) and k in base else v
    return base

cfg = over(copy.deepcopy(DEFAULTS), json.load(open("lab.json")))
run(cfg["fit"]["learning_rate"], cfg["fit"]["rounds"], cfg["net"]["units"], cfg["net"]["depth"])
"""
FLAT = """
cfg = dict(units=16, dropout_rate=0.1, rounds=5, momentum=0.9)
cfg.update(yaml.safe_load(open("lab.yaml")))
run(cfg["units"], cfg["dropout_rate"], cfg["rounds"], cfg["momentum"])
"""
FIELDS = """
@dataclass
class Setup:
    window: int = 9
    weight_decay: float = 0.0
    rounds: int = 3

setup = Setup()
for k, v in tomllib.load(open("lab.toml", "rb")).items():
    setattr(setup, k, v)
run(setup.window, setup.weight_decay, setup.rounds)
"""
SECTIONS = """
cfg = configparser.ConfigParser()
cfg.read("lab.ini")
run(cfg.getfloat("fit", "learning_rate", fallback=0.01), cfg.getint("fit", "rounds", fallback=3))
"""
CASES = {
    "nested": (
        NESTED, "lab.json", '{\n "net": {"units": 4},\n "fit": {"rounds": 9,\n  "lr": 0.1}\n}',
        4, '"lr"', '"learning_rate"',
    ),
    "a number that no line knows": (
        NESTED, "lab.json", '{\n "net": {"units": 4,\n "dropout": 0.4},\n "fit": {"rounds": 9}\n}',
        3, '"dropout"', '"depth"',
    ),
    "flat": (FLAT, "lab.yaml", "units: 4\ndropout: 0.5\nrounds: 2\n", 2, "dropout:", "dropout_rate:"),
    "fields": (FIELDS, "lab.toml", "window = 3\nrounds = 8\nwd = 0.1\n", 3, "wd", "weight_decay"),
    "sections": (SECTIONS, "lab.ini", "[fit]\nrounds = 7\nlr = 0.5\n", 3, "lr", "learning_rate"),
}  # fmt: skip


def found(program: str, file: str, text: str) -> list[tuple[str, int, str]]:
    given = {file: parse_settings(text, file).tree}
    return [(f, s.line, s.message) for f, s in stray_settings({"main.py": ast.parse(program)}, given)]


@pytest.mark.parametrize("name", CASES)
def test_a_key_without_effect_is_found_in_its_file(name):
    program, file, text, line, old, new = CASES[name]
    assert [f[:2] for f in found(program, file, text)] == [(file, line)]
    assert old in text
    assert found(program, file, text.replace(old, new)) == []
    assert found(program + f"\nlog(cfg[{old.strip(':').strip(chr(34))!r}])\n", file, text) == []


def test_the_key_that_was_meant_is_named_with_its_default():
    program, file, text, *_ = CASES["nested"]
    assert "The defaults have `learning_rate` = 0.01" in found(program, file, text)[0][2]


def test_sections_that_are_taken_whole_or_are_open_have_no_stray_keys():
    program, file, text, *_ = CASES["nested"]
    for use in (
        'keras.optimizers.SGD(**cfg["fit"])',
        'for name, value in cfg["fit"].items():\n    log(name, value)',
        'fit = cfg["fit"]\nSGD(**fit)',
        'keras.optimizers.get(cfg["fit"])',
        "Everything(**cfg)",
        'rate = cfg["fit"][f"{kind}_rate"]',
        'if left:\n    raise KeyError(f"unknown setting {left}")',
    ):
        assert found(f"{program}\n{use}\n", file, text) == []
    assert found(program.replace('{"learning_rate": 0.01, "rounds": 4}', "{}"), file, text) == []


def test_notes_and_settings_of_other_programs_are_no_stray_keys():
    for text in (
        '{"fit": {"rounds": 2}, "net": {"units": 3}, "comment": "lr 0.1", "export": {"lr": 3}}',
        '{"fit": {"rounds": 2, "seed": 3}, "net": {"units": 3}}',
        '{"server": {"lr": 2}, "client": {"learning-rate": 3}, "fit": {"rounds": 3}}',
        '{"fit": {"learning-rate": 2}}',
    ):
        assert found(NESTED, "lab.json", text) == []
    assert found("cfg = json.load(open('lab.json'))\nrun(cfg['a'])", "lab.json", '{"a": 1, "b": 2}') == []


def test_the_files_that_the_source_or_the_command_names_are_read(tmp_path: Path):
    (tmp_path / "lab.yaml").write_text("units: 4\n")
    (tmp_path / "other.json").write_text("{}")
    (tmp_path / "third.json").write_text("{}")
    files = Files(lambda name: Path(name).read_text() if Path(name).is_file() else None)
    trees = {str(tmp_path / "main.py"): ast.parse('read("lab.yaml")')}
    given = settings_of(files, trees, ["main.py", "--with=other.json"])
    assert [Path(f).name for f in given] == ["lab.yaml", "other.json"]
