"""The ops of a graph, read from its bytes without TensorFlow."""

import gzip

import pytest

from xladoctor.recording.graph_ops import ops


def field(number, content):
    return bytes([number << 3 | 2, len(content)]) + content


def node(op):
    return field(1, b"name") + field(2, op.encode()) + field(3, b"input")


MADE = (
    field(1, node("GatherV2"))
    + field(2, field(1, field(1, b"signature") + field(3, node("Cumsum")) + field(3, node("GatherV2"))))
    + bytes([3 << 3, 0x96, 0x01])
    + bytes([5 << 3 | 5, 0, 0, 0, 0])
)


def test_nodes_of_functions_count():
    assert ops(MADE) == {"GatherV2": 2, "Cumsum": 1}
    assert ops(b"") == {}


@pytest.mark.parametrize("wrong", [MADE[:-1], b"\x0a\xff\xff\xff\x7f", b"\xff" * 12, b"\x0b", b"no graph"])
def test_what_is_no_graph_is_refused(wrong):
    with pytest.raises(ValueError):
        ops(wrong)


def test_a_capsule_whose_graph_cannot_be_read_has_none(tmp_path):
    from xladoctor.recording.run import Recording

    folder = tmp_path / "capsules" / "7-0-f"
    folder.mkdir(parents=True)
    recording = Recording(tmp_path, {})
    assert recording.ops("7-0-f") == {}
    (folder / "graph.pb.gz").write_bytes(gzip.compress(MADE))
    assert recording.ops("7-0-f")["Cumsum"] == 1
