"""The way of a dynamic dimension, in HLO of small programs as three TensorFlow versions write it (`hlo/`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from xladoctor.experiments.chain import chain, located, met, shape_of
from xladoctor.model.replay import Link
from xladoctor.protocol import answers
from xladoctor.recording.hlo import bounds, elements, read_hlo

HLO = Path(__file__).parent / "hlo"
PROGRAMS = {
    "masked": ("Where", "mask/Where", "as many rows as its condition holds for"),
    "branches": ("StatelessIf", "layer/cond", "its branches give f32[8,4] and f32[1,4]"),
    "looped": ("StridedSlice", "while/strided_slice", "a slice whose bounds are known at run time only"),
    "carried": ("Where", "cond/boolean_mask/Where", "as many rows as its condition holds for"),
}


def module(name):
    return read_hlo((HLO / f"{name}.hlo").read_text())


@pytest.mark.parametrize("file", sorted(f.stem for f in HLO.glob("*.hlo")))
def test_every_line_is_read(file):
    text = (HLO / f"{file}.hlo").read_text()
    found = module(file)
    instructions = [i for c in found.computations.values() for i in c.instructions.values()]
    assert len(instructions) == sum(line.startswith("  ") for line in text.splitlines())
    assert all(c.root for c in found.computations.values())
    assert found.entry is not None
    for instruction in instructions:
        home = found.computations[instruction.computation].instructions
        assert all(name in home for name in instruction.operands), instruction
        assert all(name in found.computations for name in instruction.called.values()), instruction


@pytest.mark.parametrize("file", sorted(f.stem for f in HLO.glob("*.hlo")))
def test_from_birth_to_failure(file):
    op, node, why = PROGRAMS[file.partition("-")[0]]
    way = chain(module(file), "transform", "FFT")
    assert way.note is None
    birth, *between, end = way.links
    assert (birth.what, birth.op, birth.node, birth.why) == ("birth", op, node, why)
    assert (end.what, end.op, end.shape) == ("fails", "FFT", "c64[<=8,4]")
    assert [link.what for link in between] == ["carries"] * len(between)
    assert between[-1].op == "Cast"
    assert all("<=8" in link.shape for link in way.links)


def test_through_a_branch_of_a_called_function():
    ops = [link.op for link in chain(module("carried-2.21"), "transform", "FFT").links]
    assert ops == ["Where", "Squeeze", "GatherV2", "StatelessIf", "Cast", "FFT"]


def test_in_a_loop_the_computation_is_told():
    links = chain(module("looped-2.15"), "while/transform", "FFT").links
    assert {link.computation for link in links} == {"while_body_89_const_0__.17"}
    assert {link.computation for link in chain(module("masked-2.15"), "transform", "FFT").links} == {None}


def test_the_users_lines():
    links = chain(module("branches-2.21"), "transform", "FFT").links
    source = answers.NodeSource("", (("/a/run.py", 3, "<module>"), ("/a/model.py", 7, "call")))
    told = {"layer/cond": (source,)}
    assert [link.location for link in located(links, told)] == ["/a/model.py:7 in call", None, None, None]


def test_what_the_text_does_not_say_is_said():
    static = (HLO / "masked-2.21.hlo").read_text().replace("<=", "")
    way = chain(read_hlo(static), "transform", "FFT")
    assert [link.what for link in way.links] == ["fails"]
    assert "by its own inference" in (way.note or "")
    missing = chain(module("masked-2.21"), "elsewhere", "FFT")
    assert missing.links == ()
    assert "is not in the HLO text" in (missing.note or "")


def test_rubbish_is_an_empty_module():
    for text in ("", "HloModule x", "%a (", "  ROOT %x = f32[] add(", "ENTRY e {\n  what\n  %a = f32[2] b(%a)\n}"):
        assert chain(read_hlo(text), "x", "FFT").links == ()


def test_a_circle_ends():
    text = """ENTRY e {
  %a = f32[<=4] negate(%b), metadata={op_type="Neg" op_name="a"}
  ROOT %b = f32[<=4] negate(%a), metadata={op_type="Neg" op_name="b"}
}"""
    assert [link.node for link in chain(read_hlo(text), "b", "Neg").links][-1] == "b"


def test_shapes():
    assert elements("(f32[<=8,4], (s32[], pred[2]), f32[])") == ("f32[<=8,4]", "(s32[], pred[2])", "f32[]")
    assert bounds("f32[<=8,4,<=2]") == (8, 2)
    assert shape_of(module("masked-2.15"), "mask/GatherV2") == "f32[<=8,4]"
    assert shape_of(module("masked-2.15"), "nowhere") is None
    # The node of this very name, and not one within the function that is called so.
    assert shape_of(module("masked-2.15"), "Cast") == "c64[<=8,4]"
    assert shape_of(module("looped-2.21"), "Cast") == shape_of(module("looped-2.21"), "while/Cast") == "c64[<=8,4]"
    assert shape_of(module("looped-2.21"), "else/where/while/Cast") is None


END = Link("BroadcastGradientArgs", "gradient_tape/mul/BroadcastGradientArgs", "", "fails")


def test_a_bound_that_was_met_as_a_size():
    """The op is not in the text: the way is that of what it takes, or of the operation whose gradient it is."""
    ways = [
        met(module("masked-2.21"), [("k", "Const"), ("mask/GatherV2", "GatherV2")], [], END),
        met(module("masked-2.21"), [], ["transform"], END),
    ]
    for way in ways:
        assert (way.links[0].op, way.links[0].what, way.links[-1]) == ("Where", "birth", END)
    assert met(module("masked-2.21"), [("mask/Where", "Const"), ("nowhere", "Mul")], ["nowhere"], END).links == ()
    known = [("mask/Reshape", "Reshape")]
    assert met(module("masked-2.21"), known, [], END).links == (), "its size is known"
