"""The processes in which TensorFlow runs for the doctor: client, pool, journal."""
