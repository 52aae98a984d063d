"""What is said of rows that were made wrong: title and message of each kind of event."""

from __future__ import annotations

from xladoctor.diagnosis.row_findings import template, whose
from xladoctor.recording.run import Event

# Other rows have statistics of their own.
own_scale = template(
    "{rows} rows for {whose} are scaled by their own statistics, and not by those of the training",
    "The columns of the {training} training rows have exactly a mean of 0 and a deviation of 1, or go from 0 to 1, "
    "and so have those of these {rows} other rows. So each was scaled by its own numbers, and the same value means "
    "something else to the model.",
    "rows",
    "training",
)


def whole_scale(event: Event) -> tuple[str, str]:
    """Statistics of all rows."""
    training, whole = event["rows"]
    return (
        f"The rows for {whose(event)} were scaled by statistics of the {whole - training} rows that test it, too",
        f"Only all {whole} rows together have exactly a mean of 0 and a deviation of 1, or go from 0 to 1: the "
        f"{training} training rows alone do not. So the statistics were taken before the split, and the training rows "
        "know something of the others.",
    )


# Statistics of each row.
row_scale = template(
    "Each of the {rows} rows for {whose} is scaled by its own {width} numbers",
    "Each row has a mean of 0 and a deviation of 1, but each of its {width} columns keeps to numbers of its own, "
    "as different quantities do. Statistics of the columns, over axis 0, would make these comparable; over the "
    "other axis the largest quantity hides the others.",
    "rows",
    "width",
)


# Statistics of each step over all columns.
step_scale = template(
    "The {rows} rows for {whose} are scaled step by step, by statistics of all {width} columns together",
    "Each step has a mean of 0 and a deviation of 1 over its {width} columns, and nearly all of what varies in the "
    "rows lies between these columns, which are different quantities. Those of small numbers hardly reach the "
    "model. Statistics over all axes but the last give each column a scale of its own.",
    "rows",
    "width",
)


# One mean and one deviation of all.
one_scale = template(
    "The {rows} rows for {whose} are scaled by one mean and one deviation of all {width} columns",
    "All numbers together have a mean of 0 and a deviation of 1, and nearly all of what varies in them lies "
    "between the {width} columns, which are different quantities. Those of small numbers hardly reach the model. "
    "Statistics over the rows, `axis=0`, give each column a scale of its own.",
    "rows",
    "width",
)


# A mean for each column, and one deviation of all.
uneven = template(
    "The {rows} rows for {whose} have a mean for each of {width} columns, and one deviation for all",
    "Each of the {width} columns has a mean of 0, but their deviations differ by a factor of ten or more: they "
    "were divided by one number. The columns of small numbers hardly reach the model. `std` over the rows, "
    "`axis=0`, gives each column its own.",
    "rows",
    "width",
)


# A normalisation that has no number for each column.
apart_axis = template(
    "A `Normalization` of {whose} has no mean for each column, and the columns are different quantities",
    "After it, nearly all of what varies in the rows of the `fit` lies between the columns of the last axis: the "
    "quantities stay as far apart as they were, and those of small numbers hardly reach the model.",
)


# Windows of one series on both sides.
windows = template(
    "{shared} of {rows} windows that test {whose} lie within training windows",
    "The first and the last steps of {shared} of {rows} rows stand in training rows, at other places: all are "
    "windows of one series, dealt out at random. What is measured on them says little of steps that the model has "
    "not seen.",
    "shared",
    "rows",
)


# Rows on both sides.
trained_on = template(
    "{whose} is tested on rows that it was trained on: {shared} of {rows}",
    "{shared} of the {rows} rows are, number for number, rows of the training. What is measured on them says "
    "nothing of rows that the model has not seen.",
    "shared",
    "rows",
)


# Labels beyond the last activation.
out_of_reach = template(
    "{outside} of {of} labels for {whose} are numbers that `{event[activation]}` cannot give",
    "`{event[layer]}`, the last layer, ends with `{event[activation]}`, and the loss is the distance to labels of "
    "which these lie beyond its ends. No training brings the model nearer than to the end, and where a unit is at "
    "its end it gets hardly a gradient.",
    "outside",
    "of",
)


# Labels among the features of the training.
foretold = template(
    "{known} of {rows} labels that test {whose} stand in training rows",
    "{known} of {rows} test labels are, number for number, among the features of training rows: those of later "
    "rows have the values of earlier ones. The rows are a series, and were dealt out at random, so that the "
    "training has seen what it is tested on.",
    "known",
    "rows",
)


def unwritten(event: Event) -> tuple[str, str]:
    """Rows that were never filled."""
    rest, rows = event["rows"]
    name = "rows" if event.get("argument") == "x" else "labels"
    return (
        f"The last {rest} of {rows} {name} for {whose(event)} are zeros",
        f"The last {rest} of {rows} {name} are all zeros, and no other one is. The array was made as zeros, and what "
        "filled it did not come to its end.",
    )


def shifted(event: Event) -> tuple[str, str]:
    """Labels of another row."""
    by, rows = event["rows"]
    other = "later" if by > 0 else "earlier"
    return (
        f"The labels for {whose(event)} follow from the rows {abs(by)} {other}, and not from their own",
        f"Of {rows} rows, the labels follow from the row {abs(by)} {other} than their own, by a straight line, and "
        "hardly from their own row. One of both was cut or shifted alone.",
    )


# Labels in reverse.
reverse = template(
    "The labels for {whose} follow from the rows in reverse, and not from their own",
    "Of {event[rows][1]} rows, the labels follow by a straight line from the rows counted from the end. One of "
    "both was put into reverse order alone.",
)


def other_pairs(event: Event) -> tuple[str, str]:
    """Labels of other rows, by the arrays that have both."""
    moved, rows = event["rows"]
    name, labels = ([str(n) for n in event.get("names") or ()] + ["?"] * 2)[:2]
    here, there = (event.get("numbers") or [0.0, 0.0])[:2]
    return (
        f"{moved} of {rows} rows for {whose(event)} have the labels of other rows",
        f"The rows stand in `{name}`, and their labels in `{labels}`, in other pairs. In those, the labels of similar "
        f"rows are similar (a correlation of {there:.2f}), and not in the pairs of the training ({here:.2f}). So rows "
        "or labels were put into another order alone.",
    )


def renumbered(event: Event) -> tuple[str, str]:
    """Classes with other numbers."""
    moved, many = event["rows"]
    here, there = (event.get("numbers") or [0.0, 0.0])[:2]
    return (
        f"{moved} of {many} classes have other numbers in the test of {whose(event)} than in its training",
        f"By the mean rows of the training, {here:.0%} of the rows look like their class, and {there:.0%} "
        "once the numbers of the classes are exchanged. So the classes were numbered in another order for the test.",
    )


# Labels that were sorted alone.
ordered = template(
    "The {event[rows][1]} labels for {whose} are sorted, and their rows are not",
    "The {event[rows][1]} labels rise, or fall, from the first to the last, and the rows do not change with them, "
    "nor from one to the next. So the labels were sorted alone.",
)


# Rows that are scaled twice.
rescaled = template(
    "The rows for {whose} are scaled twice: before the model, and by its `Rescaling`",
    "The {event[rows][0]} rows go from -1 or 0 to 1, and a `Rescaling` layer of the model divides them again, as "
    "if they were bytes. What follows gets numbers near 0.",
)


# A layer without statistics.
unadapted = template(
    "A `Normalization` of {whose} normalises nothing: it was never adapted",
    "Its mean is 0 and its variance 1 when the training begins. Without `adapt`, or a mean and a variance, it "
    "returns what it gets.",
)


# Batch normalisation of another axis.
norm_axis = template(
    "A batch normalisation of {whose} is over axis 1, and the channels are the last axis",
    "All convolutions of the model have their channels last. A `BatchNormalization(axis=1)` right after one has a "
    "mean and a scale for each line of the image, or each step, and not for each channel.",
)


def other_scale(event: Event) -> tuple[str, str]:
    """Rows in another unit."""
    rows = event["rows"][0]
    factor = float(event.get("factor") or 1.0)
    how = f"{factor:.3g} times as large as" if factor > 1 else f"{1 / factor:.3g} times smaller than"
    return (
        f"The {rows} rows for {whose(event)} are {how} those of its training",
        f"In each column the numbers spread {how} in the training rows. So these rows were not scaled, or scaled "
        "otherwise, and the model has seen nothing like them.",
    )


# Rows that lie elsewhere than those of the training in each column.
elsewhere = template(
    "The rows for {whose} are unlike those of its training in each of {event[rows][1]} columns",
    "In each of {event[rows][1]} columns, and by another amount in each, their mean is 3 deviations or more from "
    "that of the training rows, or their deviation is 4 times as large or small, or more. So one of both was not "
    "scaled, or by other numbers.",
)


def whole_adapt(event: Event) -> tuple[str, str]:
    """A layer that was adapted to all rows."""
    training, whole = event["rows"]
    return (
        f"A `Normalization` of {whose(event)} was adapted to the {whole - training} rows that test it, too",
        f"Its mean is that of all {whole} rows together, and not that of the {training} training rows: the training "
        "knows something of the others.",
    )


# A column that is the label.
target = template(
    "Column {column} of the rows for {whose} is the target itself",
    "In all {rows} rows, column {column} is the label, or the label scaled and shifted. The model has only to copy it.",
    "column",
    "rows",
)


def in_window(event: Event) -> tuple[str, str]:
    """A target within its window."""
    step, steps = event["rows"]
    return (
        f"Each target for {whose(event)} is step {step + 1} of the {steps} steps of its own window",
        f"The target of a window is the number that stands at step {step + 1} of {steps} in it, or that number scaled "
        "and shifted: the model has only to copy it. A target to be forecast comes after the last step of its window.",
    )


def by_count(event: Event) -> tuple[str, str]:
    """Weights that are as the numbers of rows."""
    most, least = event["rows"]
    return (
        f"The weights of the classes of {whose(event)} are as their numbers of rows",
        f"The weight of each class is its number of rows, times one number: the class with {most} rows counts "
        f"{most / least:.3g} times as much for each row as the one with {least}, on top of having more rows. Weights "
        "that balance classes are the inverse of their numbers.",
    )


# Weights of other classes.
dealt_weights = template(
    "The weights of the classes of {whose} are those of other classes",
    "Sorted, the weights are the inverse of the numbers of rows, or of their roots, but the classes have them in "
    "another order: the largest weight is that of a class with {heaviest} rows, and the smallest class has "
    "{least}. The numbers were counted in one order and given to the classes in another.",
    "heaviest",
    "least",
)


# Weights for no class.
no_class = template(
    "`class_weight` of {whose} names {odd} classes that no row has",
    "Some of the {classes} classes of the rows have no weight, and {odd} weights are for numbers that no row has: "
    "they have no effect. Keras takes 1 for a class without a weight.",
    "odd",
    "classes",
)


# A merge that repeats rows.
multiplied = template(
    "The merge gives {after} rows of {before}: a key is there more than once on both sides",
    "The merged table has {after} rows, and both tables have fewer. Rows whose key the other table has several "
    "times come several times, and count as often in whatever is computed afterwards.",
    "after",
    "before",
)


# A column that is joined by labels.
relabelled = template(
    "{moved} of {rows} rows get the value of another row, or none: the column is joined by its labels",
    "pandas joins a Series to a table by the labels of their rows. The Series is labelled from 0 on, the {rows} "
    "rows of the table are not: it was sorted, or rows were left out.",
    "moved",
    "rows",
)
