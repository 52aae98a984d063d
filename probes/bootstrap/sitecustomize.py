"""The way into the target: Python imports this module at start-up because its folder leads PYTHONPATH.

It loads the probes by file location (so that no name of the target can be shadowed by ours) and then runs the
`sitecustomize` that it hides, if there is one. It must never raise: a failure here would be the target's failure.
"""


def _load_probes():
    import importlib.util
    import os
    import sys

    if os.environ.get("XLADOCTOR_PROBES") == "0" or not os.environ.get("XLADOCTOR_RUN_DIR"):
        return
    name = "_xladoctor_probes"
    if name in sys.modules:
        return
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(package, "__init__.py"), submodule_search_locations=[package]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    module.install()
    # The path is as it would be without us; processes that the target starts have it from their environment.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if p != here]


def _run_hidden_sitecustomize():
    import importlib.machinery
    import importlib.util
    import os
    import sys

    here = os.path.dirname(os.path.abspath(__file__))
    rest = [p for p in sys.path if os.path.abspath(p or os.curdir) != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    # The target may look itself up by this name.
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


try:
    _load_probes()
except Exception as _error:
    import sys as _sys

    print(f"xladoctor: the probes could not start: {_error!r}", file=_sys.stderr)

_run_hidden_sitecustomize()
