package lab.experiments.ipc;

/** Two rings of ours, one for each direction. */
class RingTransport extends Transport {
    private final RingProducer producer;
    private final RingConsumer consumer;
    private final Memory outMemory;
    private final Memory inMemory;
    private final int size;

    RingTransport(Outgoing out, Incoming in, Ring outRing, Ring inRing) {
        super(out, in);
        size = out.size();
        producer = new RingProducer(outRing);
        consumer = new RingConsumer(inRing);
        outMemory = outRing.memory;
        inMemory = inRing.memory;
    }

    @Override
    boolean offer(int kind, long time) {
        int at = producer.claim(size);
        if (at == RingProducer.FULL) {
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
            if (at == RingConsumer.EMPTY) {
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
}
