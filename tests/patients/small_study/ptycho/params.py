"""Settings of a study in miniature."""

cfg = {"N": 4, "use_xla_translate": True}
