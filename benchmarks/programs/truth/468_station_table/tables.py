import csv


def read_stations(path):
    """One dict per station with the numeric columns converted."""
    out = []
    with open(path, newline="") as fh:
        for row in csv.DictReader(fh):
            out.append({
                "name": row["name"],
                "lat": float(row["lat"]),
                "lon": float(row["lon"]),
                "elev": float(row["elev"]),
            })
    return out
