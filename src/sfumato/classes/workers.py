"""Threads that evaluate, each with its own memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from queue import SimpleQueue
from typing import Generic, TypeAlias, TypeVar

import numpy as np

TICK_S = 0.05
Tick: TypeAlias = Callable[[], None]
Memory = TypeVar("Memory")
Piece = TypeVar("Piece")
Output = TypeVar("Output")


def _apply(work: Callable[[Memory, Piece], Output], piece: Piece, memory: Memory) -> Output:
    return work(memory, piece)


class Workers(Generic[Memory]):
    """A pool of threads, and as many memories as run at once."""

    def __init__(self, threads: int | None, allocate: Callable[[int], Memory]) -> None:
        self.threads = threads or os.cpu_count() or 1
        self.control = np.zeros(1 + self.threads, dtype=np.int64)
        self._allocate = allocate
        self._memory: SimpleQueue[Memory] = SimpleQueue()
        self._all: list[Memory] = []
        self._pool: ThreadPoolExecutor | None = None

    @property
    def memories(self) -> list[Memory]:
        """All memories that were made."""
        return list(self._all)

    @property
    def evaluated(self) -> int:
        """What was evaluated so far, running workers included."""
        return int(self.control[1:].sum())

    def stop(self) -> None:
        """Ask all workers to end after what they evaluate now."""
        self.control[0] = 1

    def call(self, work: Callable[[Memory], Output]) -> Output:
        """Run in this thread, with a memory that nobody else uses meanwhile."""
        self._provide(1)
        memory = self._memory.get()
        try:
            return work(memory)
        finally:
            self._memory.put(memory)

    def submit(
        self, work: Callable[[Memory, Piece], Output], pieces: Sequence[Piece]
    ) -> list[Future[Output]]:
        """Begin to run over pieces on all threads."""
        self._provide(min(self.threads, len(pieces)))
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads, thread_name_prefix="sfumato")
        return [self._pool.submit(self._run, work, piece) for piece in pieces]

    def gather(self, futures: Iterable[Future[Output]], tick: Tick | None = None) -> Iterator[Output]:
        """Yield what was submitted, in its order.

        ``tick`` is called while waiting, so that clocks are watched and the
        interpreter's signals are seen however long a piece takes.
        """
        try:
            for future in futures:
                while not future.done() and not wait([future], TICK_S).done:
                    if tick:
                        tick()
                # Pieces may be done so fast that nobody ever waits.
                if tick:
                    tick()
                yield future.result()
        except BaseException:
            self.stop()
            raise

    def map(
        self,
        work: Callable[[Memory, Piece], Output],
        pieces: Sequence[Piece],
        tick: Tick | None = None,
        *,
        here: bool = False,
    ) -> Iterator[Output]:
        """Run over pieces on all threads, or in this one; yield output in their order, `tick` as `gather`."""
        for piece in pieces if here else ():
            yield self.call(partial(_apply, work, piece))
            if tick:
                tick()
        if here:
            return
        futures = self.submit(work, pieces)
        try:
            yield from self.gather(futures, tick)
        finally:
            for future in futures:  # what nobody waits for any more need not begin
                future.cancel()

    def _provide(self, count: int) -> None:
        while len(self._all) < count:
            self._all.append(self._allocate(len(self._all)))
            self._memory.put(self._all[-1])

    def _run(self, work: Callable[[Memory, Piece], Output], piece: Piece) -> Output:
        memory = self._memory.get()
        try:
            return work(memory, piece)
        finally:
            self._memory.put(memory)
