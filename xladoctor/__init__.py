"""A doctor for TensorFlow/XLA runs."""

__version__ = "0.2.0"


def load_ipython_extension(shell: object) -> None:
    """`%load_ext xladoctor`: the cell magic `%%xladoctor` (docs/notebooks.md)."""
    from xladoctor.notebook import load

    load(shell)


def unload_ipython_extension(shell: object) -> None:
    """`%unload_ext xladoctor`."""
    from xladoctor.notebook import unload

    unload(shell)
