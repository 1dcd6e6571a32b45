package dev.holdfast.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
    SILENT
  }

  private volatile int port;
  private final ServerSocket listening;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private volatile Mode mode = Mode.PASS;

  /**
   * @param port of the server
   */
  Relay(int port) throws IOException {
    this.port = port;
    this.listening = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
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

  private void accept() {
    try {
      while (true) {
        Socket worker = listening.accept();
        open.add(worker);
        Thread.ofVirtual().start(() -> connect(worker));
      }
    } catch (IOException e) {
      // The relay is closed.
    }
  }

  private void connect(Socket worker) {
    try {
      if (mode == Mode.CUT) {
        throw new IOException("the wire is cut");
      }
      Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
      server.setTcpNoDelay(true);
      worker.setTcpNoDelay(true);
      open.add(server);
      Thread.ofVirtual().start(() -> pass(worker, server));
      Thread.ofVirtual().start(() -> pass(server, worker));
    } catch (IOException e) {
      closeQuietly(worker);
    }
  }

  private void pass(Socket from, Socket to) {
    byte[] buffer = new byte[BUFFER];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        while (mode == Mode.SILENT && !to.isClosed()) {
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
  }
}
