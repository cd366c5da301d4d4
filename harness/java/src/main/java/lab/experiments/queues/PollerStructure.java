package lab.experiments.queues;

import com.lmax.disruptor.EventPoller;
import com.lmax.disruptor.RingBuffer;
import lab.load.Receipts;
import lab.load.Receiver;
import lab.load.Sender;

/** The Disruptor's ring, whose consumer polls it and spins when there is nothing. */
record PollerStructure(RingBuffer<Event> ring, boolean yields) implements Structure {
    private static final int POLLS = 64;

    @Override
    public Sender sender(int producer) {
        return new DisruptorStructure.Claiming(ring);
    }

    @Override
    public Receiver receiver(int consumer, Receipts receipts) {
        EventPoller<Event> poller = ring.newPoller();
        ring.addGatingSequences(poller.getSequence());
        return new Polling(ring, poller, receipts, yields);
    }

    @Override
    public long left() {
        return ring.getCursor() - ring.getMinimumGatingSequence();
    }

    private static final class Polling implements Receiver, EventPoller.Handler<Event> {
        private final RingBuffer<Event> ring;
        private final EventPoller<Event> poller;
        private final Receipts receipts;
        private final boolean yields;
        private int failed;
        private boolean over;

        Polling(RingBuffer<Event> ring, EventPoller<Event> poller, Receipts receipts, boolean yields) {
            this.ring = ring;
            this.poller = poller;
            this.receipts = receipts;
            this.yields = yields;
            receipts.countsFailedPolls();
        }

        @Override
        public void receive() {
            over = false;
            while (!over) {
                poll();
            }
        }

        private void poll() {
            try {
                for (int i = 0; i < POLLS && !over; i++) {
                    if (poller.poll(this) == EventPoller.PollState.PROCESSING) {
                        failed = 0;
                    } else {
                        receipts.failedPoll();
                        Pause.after(failed++, yields);
                    }
                }
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        /** Goes on with the batch, unless the iteration is over. */
        @Override
        public boolean onEvent(Event event, long sequence, boolean endOfBatch) {
            over = receipts.on(event.number, event.due(), event.sent());
            return !over;
        }

        @Override
        public void abandon() {
            ring.removeGatingSequence(poller.getSequence());
        }
    }
}
