"""The language server: `lint` while a file is written (docs/editors.md).

`project` is what is linted, `server` alone imports the library of the protocol.
"""
