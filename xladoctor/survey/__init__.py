"""Many runs at once: found in folders, diagnosed side by side, and grouped by what failed in the same way."""
