package lab.experiments.ipc;

/** Two rings of ours, one for each direction. */
class RingTransport extends Transport {
    private final Ring.Producer producer;
    private final Ring.Consumer consumer;
    private final Memory outMemory;
    private final Memory inMemory;
    private final int size;

    RingTransport(Outgoing out, Incoming in, Ring outRing, Ring inRing) {
        super(out, in);
        size = out.size;
        producer = new Ring.Producer(outRing);
        consumer = new Ring.Consumer(inRing);
        outMemory = outRing.memory;
        inMemory = inRing.memory;
    }

    @Override
    boolean offer(int kind, long time) {
        int at = producer.claim(size);
        if (at == Ring.Producer.FULL) {
            return false;
        }
        out.write(outMemory, at, kind, time);
        producer.commit();
        return true;
    }

    @Override
    int poll(int most) {
        int taken = 0;
        while (taken < most) {
            int at = consumer.poll();
            if (at == Ring.Consumer.EMPTY) {
                break;
            }
            if (in.take(inMemory, at, consumer.length())) {
                inRing().sample(consumer.behind(), in.sampledFrom(), in.sampledAt());
            }
            consumer.release();
            taken++;
        }
        return taken;
    }

    @Override
    final boolean roomy() {
        return producer.roomy();
    }

    @Override
    final boolean ring() {
        return true;
    }

    @Override
    final boolean drained() {
        return producer.drained() && consumer.drained();
    }

    /** Two rings of ours whose consumers sleep where they find nothing. */
    static final class Sleeping extends RingTransport {
        private final Ring.Bell outBell;
        private final Ring.Bell inBell;

        Sleeping(Outgoing out, Incoming in, Ring outRing, Ring inRing) {
            super(out, in, outRing, inRing);
            outBell = new Ring.Bell((BufferMemory) outRing.memory);
            inBell = new Ring.Bell((BufferMemory) inRing.memory);
            outBell.rouse();
        }

        @Override
        boolean offer(int kind, long time) {
            boolean offered = super.offer(kind, time);
            if (offered) {
                outBell.wake();
            }
            return offered;
        }

        /** Never none. */
        @Override
        int poll(int most) {
            int taken;
            while ((taken = super.poll(most)) == 0) {
                polls().count();
                inBell.announce();
                taken = super.poll(most);
                if (taken > 0) {
                    inBell.stay();
                    return taken;
                }
                while (inBell.sleep(Spin.LONGEST_SLEEP_NANOS)) {
                    polls().sleptInVain();
                }
            }
            return taken;
        }
    }
}
