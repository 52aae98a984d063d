"""Every value that is written to disk or passed between packages: frozen, and made only of what JSON holds."""
