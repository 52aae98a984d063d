import argparse

import numpy as np
import pytest

from ptycho.workflows import output


def test_arms_are_found_again_by_the_same_configuration_only(tmp_path):
    metrics = {"amplitude": {"ssim": 0.5}}
    first = output.Arms(tmp_path / "new", {"seed": 1, "N": 64}, resume=False)
    assert first.finished("a") is None
    first.save("a", output.Result({"stitched": np.ones((2, 3), complex)}, metrics))
    assert first.finished("a") is None  # not asked to resume
    again = output.Arms(tmp_path / "new", {"seed": 1, "N": 64}, resume=True).finished("a")
    assert again.metrics == metrics
    assert again.arrays.keys() == {"stitched"}
    assert again.arrays["stitched"].shape == (2, 3)
    with pytest.raises(output.ResumeError, match="N was 64 and is 32"):
        output.Arms(tmp_path / "new", {"seed": 1, "N": 32}, resume=True).finished("a")


def test_an_unfinished_arm_is_none(tmp_path):
    arms = output.Arms(tmp_path, {}, resume=True)
    (tmp_path / "arms").mkdir()
    (tmp_path / "arms" / "a.partial").write_bytes(b"PK")
    assert arms.finished("a") is None


@pytest.mark.parametrize(
    ("overwrite", "resume", "message"),
    [(False, False, "is not empty"), (True, False, None), (False, True, None), (True, True, "exclude")],
)
def test_refusal(tmp_path, overwrite, resume, message):
    (tmp_path / "precious").write_text("")
    found = output.refusal(argparse.Namespace(output_dir=tmp_path, overwrite=overwrite, resume=resume))
    assert (message in found) if message else found is None
    assert output.refusal(argparse.Namespace(output_dir=tmp_path / "new", overwrite=False, resume=False)) is None
    assert "is a file" in output.refusal(
        argparse.Namespace(output_dir=tmp_path / "precious", overwrite=True, resume=False)
    )
