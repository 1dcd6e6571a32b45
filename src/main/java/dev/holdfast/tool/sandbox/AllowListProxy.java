package dev.holdfast.tool.sandbox;

import dev.holdfast.process.MachineLimits;
import dev.holdfast.process.TemporaryPlace;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A proxy for HTTP, on a unix socket for sandboxes, which lets them reach some places only. It
 * lasts as long as the worker.
 */
final class AllowListProxy {
  private static final Logger log = LoggerFactory.getLogger(AllowListProxy.class);
  private static final int MAX_HEAD = 16 * 1024;

  /**
   * The most connections at once. Each costs the worker memory and two files, and a program may
   * open as many as it likes.
   */
  private static final int MOST_AT_ONCE = 64;

  private static final long HEAD_SECONDS = 30;
  private static final int CONNECT_MILLIS = 10_000;
  private static final long PAUSE_NANOS = 100_000_000;
  private static final String SOCKET = "proxy.sock";

  private final List<Destination> allowed;
  private final Path directory;
  private final ServerSocketChannel server;
  private final Duration silence;
  private final Semaphore room = new Semaphore(MOST_AT_ONCE);

  private AllowListProxy(
      List<Destination> allowed, Path directory, ServerSocketChannel server, Duration silence) {
    this.allowed = allowed;
    this.directory = directory;
    this.server = server;
    this.silence = silence;
  }

  /**
   * @throws dev.holdfast.process.NotPreparedException if this machine has no room for its directory
   * @throws IOException if it cannot have its socket
   */
  static AllowListProxy open(List<Destination> allowed) throws IOException {
    return open(allowed, ChannelPipe.SILENCE);
  }

  /**
   * @param silence the time that a server may be silent to a program that has ended its own side
   */
  static AllowListProxy open(List<Destination> allowed, Duration silence) throws IOException {
    Path directory = MachineLimits.temporaryDirectory(TemporaryPlace.PROXY);
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    server.bind(UnixDomainSocketAddress.of(directory.resolve(SOCKET)));
    directory.toFile().deleteOnExit();
    directory.resolve(SOCKET).toFile().deleteOnExit();
    AllowListProxy proxy = new AllowListProxy(allowed, directory, server, silence);
    Thread.ofVirtual().name("holdfast-proxy").start(proxy::accept);
    return proxy;
  }

  /** The directory, which belongs to its user alone; the socket in it is {@link #SOCKET}. */
  Path directory() {
    return directory;
  }

  static String socket() {
    return SOCKET;
  }

  private void accept() {
    while (server.isOpen()) {
      try {
        SocketChannel client = server.accept();
        if (room.tryAcquire()) {
          Thread.ofVirtual().start(() -> serveAndLeave(client));
        } else {
          answer(client, "503 Service Unavailable", MOST_AT_ONCE + " connections are open");
          ChannelPipe.close(client);
        }
      } catch (IOException e) {
        // There may be too many open files: one program is refused, the next may come.
        log.warn("the sandbox's proxy did not take a connection: {}", e.toString());
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private void serveAndLeave(SocketChannel client) {
    try {
      serve(client);
    } finally {
      room.release();
    }
  }

  private void serve(SocketChannel client) {
    try {
      ByteBuffer read = ByteBuffer.allocate(MAX_HEAD);
      ProxyRequest request = ProxyRequest.of(headInTime(client, read));
      Optional<SocketChannel> target = connect(request);
      if (target.isEmpty()) {
        answer(
            client,
            "403 Forbidden",
            request.host() + ":" + request.port() + " is not in the design's network");
        return;
      }
      pass(client, read, request, target.get());
    } catch (IllegalArgumentException e) {
      answer(client, "400 Bad Request", String.valueOf(e.getMessage()));
    } catch (IOException e) {
      answer(client, "502 Bad Gateway", e.toString());
    } finally {
      ChannelPipe.close(client);
    }
  }

  private void pass(
      SocketChannel client, ByteBuffer behind, ProxyRequest request, SocketChannel target)
      throws IOException {
    try {
      if (request.forward().isEmpty()) {
        write(client, "HTTP/1.1 200 Connection established\r\n\r\n");
      } else {
        write(target, request.forward());
      }
      while (behind.hasRemaining()) {
        target.write(behind);
      }
      ChannelPipe.join(client, target, silence);
    } finally {
      ChannelPipe.close(target);
    }
  }

  /** Reads the head within a time limit, because a unix socket has no timeout of its own. */
  private static String headInTime(SocketChannel client, ByteBuffer read) throws IOException {
    CompletableFuture<Void> late =
        CompletableFuture.runAsync(
            () -> ChannelPipe.close(client),
            CompletableFuture.delayedExecutor(HEAD_SECONDS, TimeUnit.SECONDS));
    try {
      return head(client, read);
    } finally {
      late.cancel(false);
    }
  }

  /**
   * Reads to the end of the headers.
   *
   * @param read its position is after them when this returns
   */
  private static String head(SocketChannel client, ByteBuffer read) throws IOException {
    int seen = 0;
    while (read.hasRemaining() && client.read(read) >= 0) {
      // Only the new bytes are searched, because the head may come byte by byte.
      int from = Math.max(0, seen - 3);
      seen = read.position();
      int end =
          new String(read.array(), from, seen - from, StandardCharsets.ISO_8859_1)
              .indexOf("\r\n\r\n");
      if (end >= 0) {
        int length = from + end + 4;
        read.flip().position(length);
        return new String(read.array(), 0, length, StandardCharsets.ISO_8859_1);
      }
    }
    throw new IllegalArgumentException("this is no request to a proxy");
  }

  private Optional<SocketChannel> connect(ProxyRequest request) throws IOException {
    List<Destination> matching =
        allowed.stream().filter(each -> each.matches(request.host(), request.port())).toList();
    if (matching.isEmpty()) {
      return Optional.empty();
    }
    for (InetAddress address : InetAddress.getAllByName(request.host())) {
      if (matching.stream().anyMatch(each -> each.mayLeadTo(address))) {
        SocketChannel target = SocketChannel.open();
        try {
          target.socket().connect(new InetSocketAddress(address, request.port()), CONNECT_MILLIS);
          return Optional.of(target);
        } catch (IOException e) {
          ChannelPipe.close(target);
          throw e;
        }
      }
    }
    return Optional.empty();
  }

  private static void answer(SocketChannel client, String status, String text) {
    try {
      write(
          client,
          "HTTP/1.1 %s\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n%s\n"
              .formatted(status, text));
    } catch (IOException e) {
      // The client has gone.
      return;
    }
  }

  private static void write(SocketChannel channel, String text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }
}
