"""Another project's `ptycho`: patches flat, settings in an object, no switch for XLA."""
