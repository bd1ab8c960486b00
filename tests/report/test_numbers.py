"""Numbers as people read them."""

import pytest

from metasmith.report.numbers import decimals, lasting, number, plural, seeds, short, three

MINUS = "\N{MINUS SIGN}"


@pytest.mark.parametrize(
    ("write", "values", "written"),
    [
        (number, (625.0, 219.63, 4.6785, 0.03312), ["625", "219.6", "4.678", "0.03312"]),
        (number, (50_000, -3.5), ["50,000", f"{MINUS}3.5"]),
        (three, (0.023456, -1.23456, 0.0, 312.44, 127_936.2), ["0.0235", f"{MINUS}1.23", "0", "312", "127,936"]),
        (short, (0.0, 10.0, 1000.0, 25_000.0, 2e6, -400.0), ["0", "10", "1k", "25k", "2M", f"{MINUS}400"]),
        (decimals, (625.0, 0.0, 9.876, 99.96, -138758.62), ["625", "0", "9.88", "100", "-138758.6"]),
        (lasting, (12.4, 300, 7200), ["12 s", "5 min", "2.0 h"]),
        (seeds, (1, 5), ["the seed 0", "the seeds 0 to 4"]),
    ],
)  # fmt: skip
def test_numbers_are_as_people_read_them(write, values, written):
    assert [write(value) for value in values] == written


def test_one_is_no_plural():
    assert [plural(count, what) for count, what in ((1, "run"), (1200, "run"), (2, "epoch"), (2, "batch"))] == [
        "1 run",
        "1,200 runs",
        "2 epochs",
        "2 batches",
    ]
