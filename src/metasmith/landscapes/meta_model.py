"""Meta-model factors: fit and coefficients of linear and quadratic models of the values (Mersmann et al. 2011)."""

import numpy as np

from metasmith.arrays import Floats, Solutions

NAMES = (
    "ela_meta.lin_simple.adj_r2", "ela_meta.lin_simple.intercept",
    "ela_meta.lin_simple.coef.min", "ela_meta.lin_simple.coef.max", "ela_meta.lin_simple.coef.max_by_min",
    "ela_meta.lin_w_interact.adj_r2",
    "ela_meta.quad_simple.adj_r2", "ela_meta.quad_simple.cond", "ela_meta.quad_w_interact.adj_r2",
)  # fmt: skip
"""Flacco's names of these factors, in the order in which `meta_model` returns them."""

RIDGE = 1e-10
"""Share of the diagonal that is added to it, so that every system of normal equations has a solution."""

STEEPEST = 1000.0
"""Largest ratio of two coefficients: a smaller coefficient is as good as zero, and the ratio would have no bound."""

EXPLAINED = 1e-4
"""Standard deviation of the residuals, as a share of that of the values, below which nothing is left to explain."""

ROWS = 2048
"""Rows of tall matrices that are multiplied at a time, so that they stay in the processor's cache."""


def meta_model(vectors: Solutions, values: Floats) -> Floats:
    """The factors of NAMES, of independent points, (points, variables), and their values."""
    if values.max() == values.min():
        return np.array([0.0, values[0], 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0])
    low, high = vectors.min(axis=0), vectors.max(axis=0)
    varied = low < high
    lines = vectors[:, varied].astype(np.float64)
    mean = lines.mean(axis=0)
    lines -= mean
    spread = np.sqrt(np.einsum("ti,ti->i", lines, lines) / len(lines))
    lines /= spread
    height = values.std()
    y = (values - values.mean()) / height

    weights, rest, linear = fit(lines, y)
    slopes = weights * height / spread
    least, steepest = np.abs(slopes).min(), np.abs(slopes).max()
    intercept = values.mean() - slopes @ mean
    with_pairs = improved(linear, pairs_share(lines, lines, rest, lines.shape[1]) / 2)
    simple = [linear, intercept, least, steepest, ratio(slopes), with_pairs]

    # The square of a variable with two values is linear in it, so that the quadratic models are the linear ones.
    if np.all((vectors == low) | (vectors == high)):
        return np.array([*simple, linear, ratio(slopes), with_pairs])
    bends, bend_spread = curves(lines)
    curved = bend_spread > 0
    weights, rest, quadratic = fit(np.concatenate([lines, bends[:, curved]], axis=1), y)
    squares = weights[lines.shape[1] :] / bend_spread[curved] / spread[curved] ** 2
    parameters = len(weights)
    share = (
        pairs_share(lines, lines, rest, parameters) / 2
        + pairs_share(lines, bends, rest, parameters)
        + pairs_share(bends, bends, rest, parameters) / 2
    )
    return np.array([*simple, quadratic, ratio(squares), improved(quadratic, share)])


def fit(columns: Floats, y: Floats) -> tuple[Floats, Floats, float]:
    """Least squares: the weights of the columns, the residuals of y, and the adjusted coefficient of determination."""
    n, parameters = columns.shape
    normal = columns.T @ columns
    normal[np.diag_indices(parameters)] += RIDGE * n
    weights: Floats = np.linalg.solve(normal, columns.T @ y).astype(np.float64)
    rest = y - columns @ weights
    unexplained = (rest @ rest) / (y @ y)
    return weights, rest, float(1 - unexplained * (n - 1) / max(n - parameters - 1, 1))


def improved(determination: float, share: float) -> float:
    """The coefficient of determination with `share` of what was unexplained explained."""
    return determination + (1 - determination) * min(max(share, 0.0), 1.0)


def ratio(coefficients: Floats) -> float:
    """The largest absolute coefficient over the smallest, STEEPEST at most; 1 if all are zero."""
    sizes = np.abs(coefficients)
    largest = sizes.max()
    return float(largest / max(sizes.min(), largest / STEEPEST)) if largest > 0 else 1.0


def curves(lines: Floats) -> tuple[Floats, Floats]:
    """The squares of standardised columns, orthogonal to the columns and standardised, and their standard deviations.

    Where nothing is left of a square, both are zero.
    """
    bends = lines * lines
    bends -= bends.mean(axis=0)
    bends -= lines * np.mean(lines * bends, axis=0)
    spread = bends.std(axis=0)
    spread[spread < 1e-9] = 0.0
    bends /= np.where(spread > 0, spread, 1.0)
    bends *= spread > 0
    return bends, spread


def pairs_share(a: Floats, b: Floats, rest: Floats, parameters: int) -> float:
    """The share of the variance of `rest` that the products of columns a_i * b_j, i unlike j, explain together.

    There are more products than points, so no regression can tell. But the products are nearly uncorrelated, so each
    explains the square of its covariance with `rest`; from the sum of squares the part that noise contributes is
    subtracted (a U-statistic).
    parameters: of the fit that left `rest`, which took as many directions out of the products too.
    """
    n = len(rest)
    deviation = rest.std()
    if deviation < EXPLAINED:
        return 0.0
    rest = (rest - rest.mean()) / deviation
    covariances, noise = np.zeros((a.shape[1], b.shape[1])), 0.0
    for first in range(0, n, ROWS):
        some, others, left = a[first : first + ROWS], b[first : first + ROWS], rest[first : first + ROWS]
        covariances += weighted_products(some, some if a is b else others, left)
        products = np.einsum("ti,ti->t", some, some) * np.einsum("ti,ti->t", others, others) - np.sum(
            (some * others) ** 2, axis=1
        )
        noise += float(products @ left**2)
    np.fill_diagonal(covariances, 0.0)
    return float((np.sum(covariances**2) - noise) / (n - 1.0) / max(n - parameters - 1, 1))


def weighted_products(a: Floats, b: Floats, weights: Floats) -> Floats:
    """The products of every column of a and every column of b, summed over the rows with weights."""
    if a is not b:
        return (a * weights[:, None]).T @ b
    roots = a * np.sqrt(np.abs(weights))[:, None]  # a matrix times itself takes half the time
    up, down = roots[weights > 0], roots[weights < 0]
    return up.T @ up - down.T @ down
