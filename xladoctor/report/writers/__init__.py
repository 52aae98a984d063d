"""Writers of `report.document`: one module a format, each with `write`. Text of a run is escaped here."""
