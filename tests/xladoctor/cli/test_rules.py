from __future__ import annotations

import json

import pytest

from xladoctor.__main__ import main

pytestmark = pytest.mark.usefixtures("rules")


def test_explain(capsys):
    assert main(["explain", "XD301"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("XD301 reshape-mismatch  error\n")
    assert "What happens\n  An op was told to give a tensor another shape. Its values do not fit.\n\n  The" in out
    assert "Example\n    tf.reshape(tf.zeros([6]), [4])" in out
    assert "1. Find the size that changed (safe)" in out
    assert "- tensorflow/core/kernels/reshape_op.h" in out


@pytest.mark.parametrize("name", ["xd301", "reshape-mismatch", "RESHAPE_MISMATCH", " XD301 "])
def test_any_way_to_name_it(name, capsys):
    assert main(["explain", name, "--quiet"]) == 0
    assert "XD301" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("XD310", "Did you mean XD309 or XD301"),
        ("reshape-missmatch", "Did you mean reshape-mismatch"),
        ("rank", "Did you mean rank-mismatch?"),
        ("quux", "xladoctor rules"),
    ],
)
def test_an_unknown_class(name, said, capsys):
    assert main(["explain", name]) == 2
    err = capsys.readouterr().err
    assert f"there is no class of failure '{name}'" in err and said in err


def test_explain_as_data_and_as_a_page(capsys):
    main(["explain", "XD301", "--format", "json"])
    data = json.loads(capsys.readouterr().out)
    assert data["schema"] == "xladoctor.rules/1"
    assert data["rules"][0]["class"] == "reshape-mismatch"
    assert data["rules"][0]["remedies"][0]["id"] == "find-the-size"
    main(["explain", "XD301", "--format", "markdown"])
    page = capsys.readouterr().out
    assert "# XD301 reshape-mismatch" in page and "```\ntf.reshape(tf.zeros([6]), [4])\n```" in page


def test_rules(capsys):
    assert main(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("XD")] == ["XD105", "XD301", "XD309"]
    assert lines[1].startswith("XD301  reshape-mismatch    error    A reshape was asked for")
    main(["rules", "--quiet"])
    assert capsys.readouterr().out == "XD105\nXD301\nXD309\n"
    main(["rules", "--verbose"])
    assert "The message names both counts." in capsys.readouterr().out


def test_rules_in_other_formats(capsys, tmp_path):
    main(["rules", "--format", "json"])
    assert len(json.loads(capsys.readouterr().out)["rules"]) == 3
    file = tmp_path / "rules.md"
    assert main(["rules", "-o", str(file)]) == 0
    assert main(["rules", "-o", str(file)]) == 0
    assert "| XD105 | `ptxas-missing` | warning | ptxas was not found |" in file.read_text()


@pytest.mark.parametrize("args", [["rules"], ["explain", "XD301"], ["env"]])
def test_formats_of_a_diagnosis_are_not_offered(args, capsys):
    assert main([*args, "--format", "sarif"]) == 2
    assert "'sarif' is none of console, json, markdown" in capsys.readouterr().err
