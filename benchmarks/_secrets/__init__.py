"""The corpus of secret forms and ordinary strings, and how both are measured."""
