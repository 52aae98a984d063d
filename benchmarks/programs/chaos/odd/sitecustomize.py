import sys

sys.odd_site = "the user's own sitecustomize"
