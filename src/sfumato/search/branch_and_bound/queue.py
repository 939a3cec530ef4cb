"""The open nodes of a branch and bound."""

from __future__ import annotations

import heapq
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sfumato.monitor import load_arrays

if TYPE_CHECKING:
    from pathlib import Path

    from sfumato._typing import FloatArray, IntArray, LongArray

MOST_OPEN = 3_000_000
"""Nodes beyond which the search goes on in depth, so that memory stays bounded."""


@dataclass(frozen=True, slots=True)
class Open:
    """A node: what is decided, what it costs at least, and whether that is its own bound or its parent's."""

    states: bytes
    bound: float
    is_bounded: bool = False


def stack_states(nodes: list[Open]) -> IntArray:
    """Return the states of nodes as an array that may be changed, one row for each."""
    joined = b"".join(node.states for node in nodes)
    return np.frombuffer(joined, dtype=np.int8).reshape(len(nodes), -1).astype(np.int32)


class Queue:
    """Open nodes, the least bound first, or the oldest.

    Equal bounds come latest first, so that the search goes down before it goes on.
    """

    def __init__(self, *, best_first: bool) -> None:
        self._best_first = best_first
        self._heap: list[tuple[float, int, Open]] = []
        self._line: deque[Open] = deque()
        self._deep: list[Open] = []
        self._made = 0

    def __len__(self) -> int:
        return len(self._heap) + len(self._line) + len(self._deep)

    def push(self, node: Open) -> None:
        """Put a node in."""
        self._made += 1
        if not self._best_first:
            self._line.append(node)
        elif len(self._heap) >= MOST_OPEN:
            self._deep.append(node)
        else:
            heapq.heappush(self._heap, (node.bound, -self._made, node))

    def extend(self, states: IntArray, bounds: FloatArray, is_bounded: IntArray) -> None:
        """Put nodes in, one for each row of ``states``."""
        size = states.shape[1]
        text = states.astype(np.int8).tobytes()
        for i, (bound, own) in enumerate(zip(bounds.tolist(), is_bounded.tolist(), strict=True)):
            self.push(Open(text[i * size : (i + 1) * size], bound, bool(own)))

    def pop(self) -> Open:
        """Take the next node out."""
        if self._deep:
            return self._deep.pop()
        return heapq.heappop(self._heap)[2] if self._heap else self._line.popleft()

    @property
    def bound(self) -> float:
        """The least bound of all; inf where there is no node."""
        first = self._heap[0][0] if self._heap else np.inf
        rest = min((node.bound for node in (*self._line, *self._deep)), default=np.inf)
        return float(min(first, rest))

    def nodes(self) -> list[Open]:
        """Return all nodes, in an order from which an equal queue can be made."""
        return [
            *(item[2] for item in sorted(self._heap, key=lambda item: -item[1])),
            *self._line,
            *self._deep,
        ]


FIELDS = ("states", "bounds", "is_bounded", "block", "cost", "counts")


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Open nodes, the best solution, and what was counted."""

    nodes: list[Open]  # open nodes
    block: IntArray  # the best solution, empty where there is none
    cost: float  # what it costs
    counts: LongArray  # counters, in the order of the search


def load(path: Path, expected: str) -> Snapshot | None:
    """Read a checkpoint; None where there is no file."""
    held = load_arrays(path, expected, FIELDS)
    if held is None:
        return None
    nodes = [
        Open(states.tobytes(), float(bound), bool(flag))
        for states, bound, flag in zip(held["states"], held["bounds"], held["is_bounded"], strict=True)
    ]
    return Snapshot(nodes, held["block"], float(held["cost"]), held["counts"])


def as_arrays(snapshot: Snapshot, elements: int) -> dict[str, object]:
    """Return what a checkpoint holds."""
    states = np.frombuffer(b"".join(node.states for node in snapshot.nodes), dtype=np.int8)
    return {
        "states": states.reshape(len(snapshot.nodes), elements),
        "bounds": np.array([node.bound for node in snapshot.nodes], dtype=np.float64),
        "is_bounded": np.array([node.is_bounded for node in snapshot.nodes], dtype=np.bool_),
        "block": snapshot.block,
        "cost": snapshot.cost,
        "counts": snapshot.counts,
    }
