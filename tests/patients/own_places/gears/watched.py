"""The decorator of docs/places.md, as a project would copy it."""


def watched(contract, **axes):
    """A place with a contract when the program runs under xladoctor; else nothing at all."""
    import sys

    probes = sys.modules.get("_xladoctor_probes")
    return probes.place(contract, **axes) if hasattr(probes, "place") else lambda function: function
