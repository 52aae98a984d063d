"""Development tools: the messages of TensorFlow, Keras and NumPy, taken from their sources and provoked by calls.

`templates` reads every `raise` of a folder of sources, `corpus` those of unpacked wheels, `fill` makes a log of one,
`score` compares what the doctor says with labels that a person gave. `serve` provokes ops and layers, `provoked` counts
what the doctor makes of the journal. Nothing of it is needed by users, and none of it runs in CI.
"""

from __future__ import annotations


def markdown() -> str:
    """Precision and recall on the labelled templates, as far as their wheels are there (minutes: all is parsed)."""
    from benchmarks.provoke import corpus, score

    rows = score.judged()
    sources = ", ".join(sorted({f"{package} {version}" for _, package, version in corpus.folders()}))
    wrong = [row for row in rows if row.label != "either" and row.as_shape != (row.label == "shape")]
    lines = [f"{row.template.id} {row.template.file} {row.template.function}: {row.label}" for row in wrong]
    head = [f"{len(rows)} labelled templates of {sources}"]
    for draw in sorted({row.draw for row in rows}):
        some = [row for row in rows if row.draw == draw]
        precision, recall = score.precision_recall(some)
        wanted = sum(row.label == "shape" for row in some)
        head.append(f"{draw}: {len(some)}, {wanted} about shapes: precision {precision:.3f}, recall {recall:.3f}")
    return "\n".join([*head, *lines])
