"""The checks, one file a hazard; `every` lists them."""
