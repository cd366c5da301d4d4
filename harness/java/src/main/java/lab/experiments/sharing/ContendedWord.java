package lab.experiments.sharing;

/** A word that the virtual machine keeps apart from everything else, once {@link ContendedClass} has annotated it. */
final class ContendedWord {
    @Isolated
    volatile long value;

    ContendedWord(long value) {
        this.value = value;
    }
}
