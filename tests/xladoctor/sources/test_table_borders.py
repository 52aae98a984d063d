"""Lags and rolling values of tables with several groups, with and without `groupby`."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.slips.table_borders import table_borders

WRONG = {
    "a sister is grouped": """
hives = pd.read_csv("hives.csv")
hives["weight_before"] = hives.groupby("hive")["weight"].shift(1)
hives["gain"] = hives["weight"].diff()  # wrong
""",
    "sorted by the group": """
def features(path):
    rows = pd.read_csv(path)
    rows = rows.sort_values(["pump", "hour"]).reset_index(drop=True)
    rows["mean"] = rows.pressure.rolling(6).mean()  # wrong
    return rows
def report(rows):
    return rows.groupby("pump").pressure.max()
""",
    "several columns of a parameter": """
class Lags:
    def add(self, table, names):
        for k in (1, 2):
            table[f"lag{k}"] = table[names].shift(k)  # wrong
        table["sold_so_far"] = table.groupby("shop")["sold"].cumsum()
        return table
""",
}
WRONG |= {
    "a parameter that is sorted": """
def lags(table):
    table = table.sort_values(["shop", "date"])
    table["before"] = table["sold"].shift(1)  # wrong
    table["mean"] = table.groupby("shop")["sold"].transform("mean")
    return table
""",
}
HEALTHY = {
    "all by group": """
hives = hives.sort_values(["hive", "day"])
hives["before"] = hives.groupby("hive")["weight"].shift(1)
hives["gain"] = hives.groupby("hive").weight.diff()
""",
    "one series with sums of each month": """
rows = pd.read_csv("river.csv")
rows["so_far"] = rows.groupby("month")["rain"].cumsum()
rows["before"] = rows["level"].shift(1)
""",
    "borders are asked for": """
rows = rows.sort_values(["pump", "hour"])
rows["before"] = rows["pressure"].shift(1)
rows.loc[rows["pump"] != rows["pump"].shift(1), "before"] = np.nan
print(rows.groupby("pump").pressure.max())
""",
    "first rows are left out": """
rows = rows.sort_values(["pump", "hour"])
rows["before"] = rows["pressure"].shift(1)
rows = rows[rows.groupby("pump").cumcount() > 0]
""",
    "one group at a time": """
for name, part in rows.groupby("pump"):
    part = part.sort_values(["pump", "hour"])
    part["before"] = part["pressure"].shift(1)
""",
    "a function of each group": """
def lags(part):
    part = part.sort_values(["pump", "hour"])
    part["before"] = part["pressure"].shift(1)
    return part
rows = rows.groupby("pump").apply(lags)
""",
    "one of the groups": """
rows = rows.sort_values(["pump", "hour"])
rows = rows[rows["pump"] == 3]
rows["before"] = rows["pressure"].shift(1)
print(table.groupby("pump").size())
""",
    "a table of totals": """
rows["before"] = rows.groupby("pump")["pressure"].shift(1)
total = rows.groupby("hour").pressure.sum().reset_index()
total["before"] = total["pressure"].shift(1)
""",
}


def lines(text):
    return sorted(slip.line for slip in table_borders(ast.parse(text)))


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG.keys())
def test_rows_get_values_of_another_group(text):
    assert lines(text) == [n for n, line in enumerate(text.splitlines(), 1) if "# wrong" in line]


@pytest.mark.parametrize("text", HEALTHY.values(), ids=HEALTHY.keys())
def test_rows_stay_in_their_groups(text):
    assert lines(text) == []
