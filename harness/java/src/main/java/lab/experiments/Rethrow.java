package lab.experiments;

import com.lmax.disruptor.ExceptionHandler;

/** Ends a processor of the Disruptor with its handler's own exception; else it would print that, and throw another. */
public final class Rethrow<T> implements ExceptionHandler<T> {
    @Override
    public void handleEventException(Throwable e, long sequence, T event) {
        throw e instanceof RuntimeException ? (RuntimeException) e : new IllegalStateException(e);
    }

    @Override
    public void handleOnStartException(Throwable e) {
        throw new IllegalStateException(e);
    }

    @Override
    public void handleOnShutdownException(Throwable e) {
        throw new IllegalStateException(e);
    }
}
