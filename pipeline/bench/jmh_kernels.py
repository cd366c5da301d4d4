"""The Java kernels that JMH referees, and what it runs against each."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipeline.catalogue.selectors import Scalar

SAMPLE_EVERY = "sample-every"


@dataclass(frozen=True)
class Kernel:
    """One of our variants and the JMH benchmark (class.method of lab.jmh) that does the same work.

    `axes` choose the configuration among the variant's of a quick run, beside threads. `takes` names the benchmark's
    parameters and those of ours that they are given; one that takes our SAMPLE_EVERY does so many operations per
    invocation. `workers` are JMH's threads where the benchmark starts others of its own (0: as many as ours), and
    `counter` is what the benchmark counts where that is not its invocations. `flags` are JVM flags of both sides beside
    the variant's own; `sizes` replaces fields of Sizes, on both sides. `note` says what the two do differently.
    """

    name: str
    experiment: str
    variant: str
    benchmark: str
    threads: int = 1
    workers: int = 0
    counter: str = ""
    series: str = "t*"
    estimator: str = "floor"
    axes: dict[str, Scalar] = field(default_factory=dict)
    takes: dict[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    sizes: dict[str, int] = field(default_factory=dict)
    note: str = ""


def _queue(name: str, variant: str, benchmark: str, **differing) -> Kernel:
    """A queue between two threads as fast as it goes: the events that arrive count, whatever was tried in vain.

    Iterations of 100 ms on both sides: in 5 ms a ring of 65,536 slots is filled and emptied once or twice, and that
    is another regime than the long run that the libraries' own benchmarks measure. Not so many rounds: two threads that
    wait for each other's cache lines settle in one of several regimes, and a guest's CPUs move apart and together, so
    that fresh processes differ by a factor of several, and more rounds would not decide a ratio to within the limits.
    """
    given = {"takes": {"slots": "slots"}, "counter": "received"} | differing
    return Kernel(
        name,
        "queues",
        variant,
        benchmark,
        2,
        series="c*",
        estimator="quartile",
        axes={"load": 0},
        sizes=CONTENDED | {"most": 11},
        **given,
    )


CHUNK = {"chunk": SAMPLE_EVERY}
CONTENDED = {"warmup": 10, "iterations": 15, "iteration_ms": 100}
ADDS = "JMH's handler adds one word up, as LMAX's does; ours checks each number and its events are of three words"
KERNELS = (
    Kernel("synchronized, 1 thread", "lock_scaling", "monitor", "Locks.monitor"),
    Kernel("ReentrantLock, 1 thread", "lock_scaling", "reentrant_lock", "Locks.reentrant_lock"),
    Kernel(
        "synchronized, 2 threads",
        "lock_scaling",
        "monitor",
        "Locks.monitor_chunk",
        2,
        estimator="median",
        takes=CHUNK,
        sizes=CONTENDED,
    ),
    Kernel(
        "ReentrantLock, 2 threads",
        "lock_scaling",
        "reentrant_lock",
        "Locks.reentrant_lock_chunk",
        2,
        estimator="median",
        takes=CHUNK,
        sizes=CONTENDED,
    ),
    *(
        Kernel(f"{word}, 1 thread", "atomic_increment", variant, f"Atomics.{variant}")
        for word, variant in (("getAndAdd", "get_and_add"), ("CAS loop", "cas_loop"))
    ),
    # Not unrolled: JDK 17 unrolls the two loops, which differ in nothing else, to unlike numbers of increments.
    Kernel(
        "volatile increment, 1 thread",
        "single_writer",
        "volatile",
        "Writer.volatile_increment",
        flags=("-XX:LoopUnrollLimit=0",),
    ),
    *(
        Kernel(
            f"interface call, {word}",
            "dispatch",
            "receivers",
            "Dispatch.receivers",
            series="calls",
            axes={"classes": classes, "period": 262144, "chains": 1},
            takes={"classes": "classes"},
        )
        for word, classes in (("monomorphic", 1), ("bimorphic", 2), ("megamorphic", 4))
    ),
    _queue(
        "JCTools SPSC, one to one",
        "jctools_spsc",
        "Queues.jctools_constant",
        note="JMH hands over one object again and again, as JCTools does; ours are numbered events",
    ),
    _queue("JCTools SPSC, one to one, numbered events", "jctools_spsc", "Queues.jctools_events"),
    _queue("ArrayBlockingQueue, one to one", "abq_block", "Queues.abq"),
    _queue(
        "Disruptor, one to one (perftest parameters)",
        "disruptor_yield",
        "Rings.one_by_one",
        workers=1,
        counter="",
        note=ADDS,
    ),
    _queue(
        "Disruptor, claims of 10",
        "disruptor_batch",
        "Rings.claims",
        workers=1,
        counter="",
        takes={"slots": "slots", "batch": "batch"},
        note=ADDS,
    ),
)
