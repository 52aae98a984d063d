"""Classes that are numbered by their names as text: what the program takes the numbers for."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.slips.class_numbers import class_numbers

FOLDERS = """
LEVELS = 12
def export(root, rng):
    for level in range(1, LEVELS + 1):
        folder = os.path.join(root, f"level_{level}")
        os.makedirs(folder)
        write(folder, level, rng)
def load(root):
    return keras.utils.image_dataset_from_directory(root, labels="inferred", image_size=(8, 8), shuffle=False)
"""
LISTED = """
STAGES = ["seed", "leaf", "flower", "fruit"]
def export(root):
    for stage in STAGES:
        os.makedirs(root / stage)
        draw(root / stage)
rows = ImageDataGenerator().flow_from_directory("plants", shuffle=False)
"""
COLUMN = """
RISK = ["low", "medium", "high"]
def people(n, rng):
    return pd.DataFrame({"age": rng.normal(40, 9, n), "risk": rng.choice(RISK, n)})
table = people(300, rng)
"""
WRONG = {
    "the number of a folder": FOLDERS + """
def level_of(index):
    return np.asarray(index) + 1  # wrong
def report(net, rows):
    guess = net.predict(rows).argmax(axis=1)
    print(level_of(guess).mean())
""",
    "one picture": FOLDERS + """
print("level", int(np.argmax(net.predict(picture[None])[0])) + 1)  # wrong
""",
    "a place in a list": LISTED + """
for k in np.argmax(net.predict(rows), axis=-1):
    print(STAGES[k])  # wrong
""",
    "names of a report": LISTED + """
print(classification_report(rows.labels, net.predict(rows).argmax(1), target_names=STAGES))  # wrong
""",
    "codes of a column": COLUMN + """
y = table["risk"].astype("category").cat.codes.to_numpy()
net.fit(x, y)
guess = net.predict(x).argmax(1)
print([RISK[g] for g in guess])  # wrong
""",
    "an encoder": COLUMN + """
y = LabelEncoder().fit_transform(table["risk"])
names = np.array(RISK)[net.predict(x).argmax(axis=1)]  # wrong
""",
    "an encoder that is kept": COLUMN + """
encoder = LabelEncoder()
y = encoder.fit_transform(table.risk)
print(RISK[int(net.predict(x[:1]).argmax())])  # wrong
""",
    "from zero on": FOLDERS.replace("range(1, LEVELS + 1)", "range(LEVELS)") + """
def error(net, rows, truth):
    guess = np.argmax(net.predict(rows), axis=1)
    return np.abs(guess - truth).mean()  # wrong
""",
    "steps of an angle": FOLDERS.replace("range(1, LEVELS + 1)", "range(0, 360, 30)") + """
angle = net.predict(rows).argmax(axis=-1) * 30  # wrong
""",
    "a list of numbers": FOLDERS.replace("range(1, LEVELS + 1)", "DOSES").replace('f"level_{level}"', "str(level)")
    + """
DOSES = [1, 5, 20, 100]
guess = net.predict(rows).argmax(axis=1)
print(np.array(DOSES)[guess].mean())  # wrong
""",
    "numbers of weeks": """
WEEKS = [f"week {w}" for w in range(14)]
week = rng.choice(WEEKS, 500)
_, y = np.unique(week, return_inverse=True)
best = tf.argmax(net(x), axis=1).numpy()
print(WEEKS[best[0]], [WEEKS[b] for b in best])  # wrong
""",
}  # fmt: skip
HEALTHY = {
    "numbers of one width": FOLDERS.replace("range(1, LEVELS + 1)", "range(10, 90, 10)") + """
print(net.predict(rows).argmax(axis=1) + 10, net.predict(rows).argmax(axis=1) * 10)
""",
    "classes that are compared": FOLDERS.replace("range(1, LEVELS + 1)", "range(LEVELS)") + """
print((net.predict(rows).argmax(axis=1) == truth).mean())
""",
    "a fixed width": FOLDERS.replace("{level}", "{level:02d}") + "\nk = net.predict(x).argmax(1)\nprint(k + 1)\n",
    "fewer than ten": FOLDERS.replace("= 12", "= 9") + "\nk = net.predict(x).argmax(1)\nprint(k + 1)\n",
    "names of the data": FOLDERS + """
rows = load("levels")
print([int(rows.class_names[k].split("_")[1]) + 1 for k in net.predict(x).argmax(1)])
""",
    "an order that is given": FOLDERS.replace("shuffle=False", 'class_names=[f"level_{k}" for k in range(1, 13)]') + """
print(net.predict(x).argmax(1) + 1)
""",
    "the best epoch": FOLDERS + """
history = net.fit(load("levels"))
print("best epoch", np.argmax(history.history["val_accuracy"]) + 1)
""",
    "a list in the order of text": LISTED.replace('"seed", "leaf", "flower", "fruit"', '"a", "b", "c"') + """
print(STAGES[np.argmax(net.predict(rows), axis=1)[0]])
""",
    "numbered by the list": COLUMN + """
y = np.array([RISK.index(r) for r in table["risk"]])
groups = LabelEncoder().fit_transform(table["risk"])
print([RISK[g] for g in net.predict(x).argmax(1)])
""",
    "another column": COLUMN.replace('"age"', '"town"') + """
town = LabelEncoder().fit_transform(table["town"])
print([RISK[g] for g in net.predict(town).argmax(1)])
""",
    "categories in an order": COLUMN + """
y = pd.Categorical(table["risk"], categories=RISK).codes
print([RISK[g] for g in net.predict(x).argmax(1)])
""",
    "looked up in the encoder": COLUMN + """
encoder = LabelEncoder()
y = encoder.fit_transform(table["risk"])
print(encoder.classes_[net.predict(x).argmax(1)], RISK[0])
""",
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_number_that_is_taken_for_another(name):
    marked = [n for n, line in enumerate(WRONG[name].splitlines(), 1) if line.endswith("# wrong")]
    assert [s.line for _, s in class_numbers({"a.py": ast.parse(WRONG[name])})] == marked


@pytest.mark.parametrize("name", HEALTHY)
def test_a_number_that_is_what_it_seems(name):
    assert list(class_numbers({"a.py": ast.parse(HEALTHY[name])})) == []
