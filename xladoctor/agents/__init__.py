"""What coding agents get of the doctor: typed answers of bounded size over the Model Context Protocol (docs/agents.md).

`answers` has the values, `make` makes them of what the doctor knows, `tools` are the questions, and `running` those
that run a command. `server` alone imports the protocol's SDK.
"""
