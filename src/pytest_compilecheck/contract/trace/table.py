"""The distinct rows of a trace file, in bounded memory."""

from __future__ import annotations

from typing import Final

from pytest_compilecheck.contract.trace.rows import Row

# Digits that are told apart, from fine to coarse; at the last one all sizes are alike.
_FINEST: Final = 7
_COARSEST: Final = -5


class Table:
    """Distinct rows with their weight, in order of first appearance; never more than `most`.

    When there are more, sizes that differ by no more than `factor` are taken together, a little
    more coarsely each time: one entry then stands for several rows, with their largest size in
    each dim. `factor` is None as long as every entry is a row.
    """

    def __init__(self, most: int) -> None:
        self.rows = 0
        self._most = most
        self._bits: int | None = None
        self._weights: dict[Row, int] = {}
        # The largest size in each dim of an entry; empty as long as that is the entry's key.
        self._largest: dict[Row, Row] = {}

    @property
    def factor(self) -> float | None:
        """How much sizes that count as the same can differ."""
        if self._bits is None:
            return None
        return 1 + 2.0 ** (1 - self._bits) if self._bits > 0 else 2.0**2 ** (1 - self._bits)

    def add(self, row: Row, count: int) -> None:
        """Count a row."""
        self.rows += 1
        self._count(row, count)

    def entries(self) -> list[tuple[Row, int]]:
        """Sizes and weight of each entry."""
        return [(self._largest.get(key, key), weight) for key, weight in self._weights.items()]

    def _count(self, row: Row, count: int) -> None:
        key = self._key(row)
        while key not in self._weights and len(self._weights) == self._most:
            self._coarsen()
            key = self._key(row)
        self._weights[key] = self._weights.get(key, 0) + count
        if self._bits is not None:
            self._largest[key] = tuple(map(max, self._largest.get(key, row), row))

    def _key(self, row: Row) -> Row:
        bits = self._bits
        return row if bits is None else tuple([_rounded(size, bits) for size in row])

    def _coarsen(self) -> None:
        self._bits = _FINEST if self._bits is None else self._bits - 1
        assert self._bits >= _COARSEST
        entries = self.entries()
        self._weights, self._largest = {}, {}
        for row, weight in entries:
            self._count(row, weight)


def _rounded(size: int, bits: int) -> int:
    """The size rounded up to `bits` binary digits; below 1 bit a number for 2, 4, ... octaves."""
    if bits < 1:
        return max(size - 1, 0).bit_length() >> (1 - bits)
    zeros = max(size.bit_length() - bits, 0)
    return -(-size >> zeros) << zeros
