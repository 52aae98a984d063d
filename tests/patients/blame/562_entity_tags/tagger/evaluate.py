"""Entity level precision / recall from BIO sequences."""


def spans(tags):
    found, start, kind = set(), None, None
    for i, t in enumerate(list(tags) + ["O"]):
        if start is not None and not (t.startswith("I-") and t[2:] == kind):
            found.add((start, i, kind))
            start = None
        if t.startswith("B-"):
            start, kind = i, t[2:]
    return found


def score(model, dataset, tags):
    tp = fp = fn = 0
    for x, y, w in dataset:
        pred = model.predict_on_batch(x).argmax(-1)
        gold = y.numpy().argmax(-1)
        for p, g, keep in zip(pred, gold, w.numpy() > 0):
            a, b = spans(tags.decode(p[keep])), spans(tags.decode(g[keep]))
            tp += len(a & b)
            fp += len(a - b)
            fn += len(b - a)
    return tp / max(tp + fp, 1), tp / max(tp + fn, 1)
