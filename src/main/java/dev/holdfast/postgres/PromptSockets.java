package dev.holdfast.postgres;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import javax.net.SocketFactory;

/**
 * Sockets that wait less than the driver asks for. After each notification the driver looks for
 * another one behind it, by a read that may take one millisecond: a third of the time that a ticket
 * took to an idle worker. These sockets answer such a read at once, from what has arrived. A server
 * that accepts a connection and says nothing, as a frozen one does, gets four seconds for its first
 * byte: the driver would wait for it, and never ask the next of several hosts. The driver makes the
 * factory itself, from its name, and asks it for unconnected sockets.
 */
public final class PromptSockets extends SocketFactory {
  private static final int LOOK_MILLIS = 1;
  private static final int FIRST_ANSWER_MILLIS = 4_000;

  @Override
  public Socket createSocket() {
    return new PromptSocket();
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return createSocket(InetAddress.getByName(host), port);
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress localHost, int localPort)
      throws IOException {
    return createSocket(InetAddress.getByName(host), port, localHost, localPort);
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return connected(new InetSocketAddress(host, port), new InetSocketAddress(0));
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort)
      throws IOException {
    return connected(
        new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
  }

  private static Socket connected(InetSocketAddress to, InetSocketAddress from) throws IOException {
    Socket socket = new PromptSocket();
    try {
      socket.bind(from);
      socket.connect(to);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private static final class PromptSocket extends Socket {
    private boolean answered;

    @Override
    public InputStream getInputStream() throws IOException {
      return new PromptInput(this, super.getInputStream());
    }
  }

  private static final class PromptInput extends FilterInputStream {
    private final PromptSocket socket;

    PromptInput(PromptSocket socket, InputStream in) {
      super(in);
      this.socket = socket;
    }

    @Override
    public int read() throws IOException {
      look();
      return socket.answered ? super.read() : first(super::read);
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      look();
      return socket.answered
          ? super.read(buffer, offset, length)
          : first(() -> super.read(buffer, offset, length));
    }

    /** A read that waits. */
    private interface Read {
      int now() throws IOException;
    }

    /**
     * Reads the first answer. It throws another exception than the driver's own, after which the
     * driver would go on waiting.
     */
    private int first(Read read) throws IOException {
      int given = socket.getSoTimeout();
      socket.setSoTimeout(given == 0 ? FIRST_ANSWER_MILLIS : Math.min(given, FIRST_ANSWER_MILLIS));
      try {
        int got = read.now();
        socket.setSoTimeout(given);
        socket.answered = true;
        return got;
      } catch (SocketTimeoutException e) {
        if (given > 0 && given < FIRST_ANSWER_MILLIS) {
          throw e;
        }
        throw new IOException("the server accepts connections and does not answer", e);
      }
    }

    private void look() throws IOException {
      if (socket.getSoTimeout() == LOOK_MILLIS && available() == 0) {
        throw new SocketTimeoutException("nothing has arrived");
      }
    }
  }
}
