package lab.experiments.whitebox;

import jdk.test.whitebox.WhiteBox;

/** What may have inflated the lock of an object. */
final class Causes {
    /** As the catalogue names them. */
    static final String[] NAMES = {
        "fresh", "held", "hashed_before", "hashed_held", "notified", "waited", "contended", "recursed", "deflated"
    };

    /** More than JDK 25 keeps of one lock in a thread's own list of its locks. */
    private static final int DEPTH = 12;

    private Causes() {}

    /** So many new objects to each of which was done what the name says, and which are not locked. */
    static Object[] applied(String cause, int count, WhiteBox box) {
        Object[] locks = new Object[count];
        for (int i = 0; i < count; i++) {
            locks[i] = new Object();
            apply(cause, locks[i]);
        }
        if (cause.equals("deflated")) {
            // Once for all of them: it takes a second.
            box.deflateIdleMonitors();
        }
        return locks;
    }

    private static void apply(String cause, Object lock) {
        try {
            switch (cause) {
                case "fresh" -> {}
                case "held" -> recurse(lock, 1);
                case "recursed" -> recurse(lock, DEPTH);
                case "hashed_before" -> {
                    System.identityHashCode(lock);
                    recurse(lock, 1);
                }
                case "hashed_held" -> hashHeld(lock);
                case "notified" -> notifyNobody(lock);
                case "waited", "deflated" -> await(lock);
                case "contended" -> contend(lock);
                default -> throw new IllegalArgumentException("no cause " + cause);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the worker", e);
        }
    }

    private static void recurse(Object lock, int depth) {
        synchronized (lock) {
            if (depth > 1) {
                recurse(lock, depth - 1);
            }
        }
    }

    private static void hashHeld(Object lock) {
        synchronized (lock) {
            System.identityHashCode(lock);
        }
    }

    private static void notifyNobody(Object lock) {
        synchronized (lock) {
            lock.notify();
        }
    }

    /** Until the shortest time-out has passed. */
    private static void await(Object lock) throws InterruptedException {
        synchronized (lock) {
            lock.wait(1);
        }
    }

    /** Holds the lock until another thread waits for it. */
    private static void contend(Object lock) throws InterruptedException {
        Thread other = new Thread() {
            @Override
            public void run() {
                recurse(lock, 1);
            }
        };
        synchronized (lock) {
            other.start();
            while (other.getState() != Thread.State.BLOCKED) {
                Thread.sleep(1);
            }
        }
        other.join();
    }
}
