package lab.experiments.ipc;

/** What every turn of a wait that spins does besides looking. */
enum Hint {
    /** It tells the processor that it spins. */
    PAUSE,
    /** Nothing. */
    NONE,
    /** It offers the CPU to others. */
    YIELD
}
