"""Settings with a live switch (`use_xla_compile`) and one that nothing obeys (`use_xla_translate`)."""

cfg = {"N": 4, "use_xla_translate": True, "use_xla_compile": False}
