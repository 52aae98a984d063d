"""The op of a message that names none: from its node, from what only one kernel says, from the kernel's file."""

from __future__ import annotations

from io import BytesIO

import pytest

from xladoctor.logs import read_log
from xladoctor.recording.evidence import Evidence
from xladoctor.rules import findings

ERROR = "tensorflow.python.framework.errors_impl.InvalidArgumentError: "
TAIL = "\n\t [[{{node %s}}]] [Op:__inference_train_function_7]\n"
LOSS = "logits and labels must be broadcastable: logits_size=[8,5] labels_size=[8,4]"
PRODUCT = "Matrix size-incompatible: In[0]: [8,5], In[1]: [4,3]"
OLD = "Dimensions must be equal, but are 9 and 5 for 'out/MatMul' (op: 'MatMul') with input shapes: [?,9], [5,2]."
KERNEL = "2021-05-04 11:12:13.000001: W tensorflow/core/framework/op_kernel.cc:1692] OP_REQUIRES failed at "
CONV = "conv_ops_fused_impl.h:621 : Unimplemented: DNN library is not found."


def first(text):
    return findings(Evidence("log", log=read_log(BytesIO(text.encode()), name="log")))[0]


@pytest.mark.parametrize(
    ("text", "op"),
    [
        # Python's wrapper gives the node another name than the op has.
        (ERROR + LOSS + TAIL % "loss/softmax_cross_entropy_with_logits", "SoftmaxCrossEntropyWithLogits"),
        # A fused kernel is called like the last op of the fusion.
        (ERROR + PRODUCT + TAIL % "net/dense_3/Relu", "MatMul"),
        (ERROR + PRODUCT + TAIL % "net/dense_3/BiasAdd", "MatMul"),
        (ERROR + "indices[0,3] = 12 is not in [0, 10)" + TAIL % "net/embedding/embedding_lookup", "ResourceGather"),
        ("TypeError: Input 'y' of 'Mul' Op has type int32 that does not match type float32 of argument 'x'.\n", "Mul"),
        ("ValueError: " + OLD + "\n", "MatMul"),
        ("ValueError: A `Concatenate` layer requires inputs with matching shapes except for it.\n", "Concatenate"),
        (KERNEL + CONV + "\n", "Conv2D"),
        (KERNEL + "tile_ops.cc:99 : Resource exhausted: OOM when allocating tensor with shape[9,9]\n", "Tile"),
    ],
)
def test_the_op_is_named(text, op):
    assert first(text).op == op


def test_an_activation_that_speaks_for_itself_keeps_its_name():
    broken = "Incompatible shapes: [8,5] vs. [8,4]"
    assert first(ERROR + broken + TAIL % "net/dense/Relu").op == "Relu"


def test_the_node_of_old_shape_inference():
    assert first("ValueError: " + OLD + "\n").node == "out/MatMul"


def test_the_kernel_of_a_loss_is_an_element_wise_op():
    found = first(ERROR + LOSS + TAIL % "loss/softmax_cross_entropy_with_logits")
    assert (found.slug, found.dims) == ("broadcast-mismatch", (5, 4))
