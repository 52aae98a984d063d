"""The user's reports, seen in the source; and our own model, of which only true things are said."""

from __future__ import annotations

from pathlib import Path

from xladoctor.lint.engine import lint
from xladoctor.lint.settings import Settings

PATIENTS = Path(__file__).with_name("patients")
PTYCHO = Path(__file__).parents[3] / "ptycho"
FACTS = ("XD810",)


def places(*paths: Path) -> list[tuple[str, str, str]]:
    found = lint([str(path) for path in paths], Settings()).diagnosis.findings
    return [(f.code, f.details["leads_to"], f.evidence[0].text) for f in found if f.code not in FACTS]


def test_the_collapsed_batch_is_seen_at_its_branch() -> None:
    """The rows are lost in one branch of a tf.cond, by way of two functions of another file."""
    branch = "return tf.cond(count < 64, original_approach, lambda: batched_approach(imgs_flat, offsets_flat))"
    found = places(PATIENTS / "batched_reassembly.py", PTYCHO)
    assert [place for place in found if place[0] != "XD812"] == [
        ("XD807", "dynamic-dimension-unsupported", branch),
        ("XD806", "dynamic-dimension-unsupported", "return tf.signal.fft2d(tf.cast(obj[..., 0], tf.complex64))"),
    ]


def test_report_003_is_audited() -> None:
    assert [(code, text.partition(" =")[0]) for code, _, text in places(PATIENTS / "mmd_loss.py")] == [
        ("XD811", "beta"),
        ("XD801", 'os.environ["TF_XLA_FLAGS"]'),
        ("XD812", "config.graph_options.optimizer_options.global_jit_level"),
        ("XD812", "rewriter.disable_meta_optimizer"),
    ]


def test_of_our_own_model_the_ways_into_xla_are_listed_and_nothing_else() -> None:
    assert {code for code, _, _ in places(PTYCHO)} <= {"XD812"}
    found = lint([str(PTYCHO)], Settings(select=("XD810",))).diagnosis.findings
    text = {path: path.read_text() for path in PTYCHO.rglob("*.py")}
    written = [path for path, body in text.items() if "jit_compile=" in body.replace("`compile(jit_compile=", "")]
    assert {Path(f.location.file) for f in found} <= set(written)
    assert {"projective_warp_xla.py", "model.py"} <= {Path(f.location.file).name for f in found}
