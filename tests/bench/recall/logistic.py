"""Logistic regression in plain numpy, with the numbers that say how far it can be trusted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

type Numbers = NDArray[np.float64]

_STEPS = 50
_STEADY = 1e-9


def fit(rows: Numbers, labels: Numbers, *, penalty: float) -> Numbers:
    """Return (bias, weights …) for rows of features and labels of 0 or 1, by Newton's method.

    `penalty` is the L2 penalty on the weights of standardised features; the weights returned are for the features as they
    are.
    """
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + _STEADY
    design = np.hstack([np.ones((len(rows), 1)), (rows - mean) / spread])
    ridge = np.diag([_STEADY] + [penalty] * rows.shape[1])
    weights = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        guess = _sigmoid(design @ weights)
        slope = design.T @ (guess - labels) + ridge @ weights
        curvature = (design * (guess * (1 - guess))[:, None]).T @ design + ridge
        weights -= np.linalg.solve(curvature, slope)
    scaled = weights[1:] / spread
    return np.concatenate([[weights[0] - scaled @ mean], scaled])


def predict(weights: Numbers, rows: Numbers) -> Numbers:
    """Return the probability of 1 for each row."""
    return _sigmoid(weights[0] + rows @ weights[1:])


def cross_validated(rows: Numbers, labels: Numbers, groups: NDArray[np.int64], *, penalty: float) -> Numbers:
    """Return each row's probability as given by a fit that did not see its fold; a group is never split."""
    guesses = np.zeros(len(rows))
    for test in _folds(groups):
        guesses[test] = predict(fit(rows[~test], labels[~test], penalty=penalty), rows[test])
    return guesses


def area(guesses: Numbers, labels: Numbers) -> float:
    """Return the area under the ROC curve: how often a 1 is put above a 0."""
    ones, zeros = guesses[labels == 1], guesses[labels == 0]
    above = (ones[:, None] > zeros).mean() + (ones[:, None] == zeros).mean() / 2
    return float(above)


def _folds(groups: NDArray[np.int64], count: int = 5) -> Iterator[NDArray[np.bool_]]:
    for fold in range(count):
        yield groups % count == fold


def _sigmoid(values: Numbers) -> Numbers:
    guesses: Numbers = 1 / (1 + np.exp(-np.clip(values, -30, 30)))
    return guesses
