package dev.holdfast.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/** A wire between workers and the server, which can be cut, or go silent without being cut. */
final class Relay implements AutoCloseable {
  private static final int BUFFER = 16_384;
  private static final long LOOK_NANOS = 20_000_000;

  /** What becomes of the bytes. */
  enum Mode {
    PASS,
    /** Connections break, and no new one is made. */
    CUT,
    /** Nothing arrives any more, in either direction, and nobody is told. */
    SILENT,
    /** What the server answers does not arrive. */
    DEAF
  }

  private volatile int port;
  private final ServerSocket listening;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private volatile Mode mode = Mode.PASS;

  /**
   * @param port of the server
   */
  Relay(int port) throws IOException {
    this.port = port;
    this.listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    threads.submit(this::accept);
  }

  int port() {
    return listening.getLocalPort();
  }

  /** New connections lead to another server. */
  void lead(int newPort) {
    port = newPort;
  }

  void mode(Mode newMode) {
    mode = newMode;
    if (newMode == Mode.CUT) {
      drop();
    }
  }

  /** Breaks what is connected now, as the end of a machine does. */
  void drop() {
    open.forEach(Relay::closeQuietly);
  }

  private Void accept() throws IOException {
    while (!listening.isClosed()) {
      Socket worker = listening.accept();
      open.add(worker);
      threads.submit(() -> connect(worker));
    }
    return null;
  }

  private Void connect(Socket worker) throws IOException {
    if (mode == Mode.CUT) {
      closeQuietly(worker);
      return null;
    }
    Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
    server.setTcpNoDelay(true);
    worker.setTcpNoDelay(true);
    open.add(server);
    threads.submit(() -> pass(worker, server, Set.of(Mode.SILENT)));
    threads.submit(() -> pass(server, worker, Set.of(Mode.SILENT, Mode.DEAF)));
    return null;
  }

  private void pass(Socket from, Socket to, Set<Mode> held) {
    byte[] buffer = new byte[BUFFER];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        while (held.contains(mode) && !to.isClosed()) {
          LockSupport.parkNanos(LOOK_NANOS);
        }
        out.write(buffer, 0, n);
      }
    } catch (IOException e) {
      // One end is gone; so is the other.
    } finally {
      closeQuietly(from);
      closeQuietly(to);
      open.remove(from);
      open.remove(to);
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed.
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    drop();
    threads.shutdownNow();
  }
}
