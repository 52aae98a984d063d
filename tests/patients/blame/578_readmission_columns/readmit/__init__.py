"""Hospital readmission within 30 days."""
