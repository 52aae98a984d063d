"""Small ops, a layer and their settings."""
