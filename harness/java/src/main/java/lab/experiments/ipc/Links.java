package lab.experiments.ipc;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import lab.Failure;
import lab.Native;
import lab.TemporaryFiles;

/** Makes the links through the kernel, and connects the two ends by them. */
record Links(Setup setup, Rendezvous rendezvous, Outgoing out, Incoming in) {
    Transport open() {
        try {
            return switch (setup.link()) {
                case "pipe" -> setup.ping() ? pipesOfPing() : pipesOfPong();
                case "unix" -> setup.ping() ? unixOfPing() : unixOfPong();
                default -> setup.ping() ? tcpOfPing() : tcpOfPong();
            };
        } catch (IOException e) {
            throw Failure.resource("--variant " + setup.trial().variant() + ": the two ends cannot be connected: " + e);
        }
    }

    /** Opening a pipe waits for the other end: both ends open them in the same order. */
    private Transport pipesOfPing() throws IOException {
        Native.require("--variant pipe");
        for (Path pipe : new Path[] {rendezvous.ofPing(), rendezvous.ofPong()}) {
            TemporaryFiles.track(pipe);
            int errno = Native.mkfifo(pipe.toString());
            if (errno != 0) {
                throw Failure.resource(
                        "--dir " + setup.dir() + ": a named pipe cannot be made there (errno " + errno + ")");
            }
        }
        rendezvous.made();
        FileOutputStream writes = new FileOutputStream(rendezvous.ofPing().toFile());
        FileInputStream reads = new FileInputStream(rendezvous.ofPong().toFile());
        rendezvous.awaitJoined();
        return over(writes, reads);
    }

    private Transport pipesOfPong() throws IOException {
        rendezvous.awaitMade();
        FileInputStream reads = new FileInputStream(rendezvous.ofPing().toFile());
        FileOutputStream writes = new FileOutputStream(rendezvous.ofPong().toFile());
        rendezvous.joined();
        return over(writes, reads);
    }

    private Transport over(FileOutputStream writes, FileInputStream reads) throws IOException {
        if (setup.polled()) {
            int errno = Native.neverBlock(writes.getFD()) | Native.neverBlock(reads.getFD());
            if (errno != 0) {
                throw new IOException("a pipe cannot be made one that never blocks (errno " + errno + ")");
            }
        }
        return new LinkTransport(out, in, setup.writesOf(), writes.getChannel(), reads.getChannel());
    }

    private Transport unixOfPing() throws IOException {
        Path path = rendezvous.ofPing();
        TemporaryFiles.track(path);
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            return accepted(server.bind(unixAddress(path)));
        }
    }

    private Transport unixOfPong() throws IOException {
        rendezvous.awaitMade();
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        return connected(channel, unixAddress(rendezvous.ofPing()));
    }

    private static SocketAddress unixAddress(Path path) {
        return UnixDomainSocketAddress.of(path);
    }

    private Transport tcpOfPing() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            rendezvous.tell(((InetSocketAddress) server.getLocalAddress()).getPort());
            return accepted(server);
        }
    }

    private Transport tcpOfPong() throws IOException {
        rendezvous.awaitMade();
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.INET);
        return connected(channel, new InetSocketAddress(InetAddress.getLoopbackAddress(), (int) rendezvous.key));
    }

    private Transport accepted(ServerSocketChannel server) throws IOException {
        rendezvous.made();
        server.configureBlocking(false);
        SocketChannel channel;
        while ((channel = server.accept()) == null) {
            rendezvous.nap();
        }
        rendezvous.awaitJoined();
        return over(channel);
    }

    private Transport connected(SocketChannel channel, SocketAddress address) throws IOException {
        channel.connect(address);
        rendezvous.joined();
        return over(channel);
    }

    /** A message goes out at once, and not with the next. */
    private Transport over(SocketChannel channel) throws IOException {
        if (channel.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        channel.configureBlocking(!setup.polled());
        return new LinkTransport(out, in, setup.writesOf(), channel, channel);
    }
}
