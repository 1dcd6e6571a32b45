package dev.holdfast.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What systemd is to a service: a unix datagram socket that takes its notices. A Python program
 * receives them, for Java cannot.
 */
public final class NotifySocket implements AutoCloseable {
  private static final String RECEIVER =
      """
      import socket, sys
      s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      s.bind(sys.argv[1].replace("@", "\\0", 1))
      print("bound", flush=True)
      while True:
          print(s.recv(4096).decode(), flush=True)
      """;

  private final List<String> received = new CopyOnWriteArrayList<>();
  private final String name;
  private final Process receiver;

  private NotifySocket(String name) throws IOException {
    this.name = name;
    this.receiver = new ProcessBuilder("python3", "-c", RECEIVER, name).start();
    BufferedReader lines = receiver.inputReader();
    if (!"bound".equals(lines.readLine())) {
      receiver.destroyForcibly();
      throw new IOException(new String(receiver.getErrorStream().readAllBytes()));
    }
    Thread.ofVirtual().start(() -> lines.lines().forEach(received::add));
  }

  /** In a directory, which must have a short name. */
  public static NotifySocket in(Path directory) throws IOException {
    return new NotifySocket(directory.resolve("notify").toString());
  }

  /**
   * @param name begins with {@code @}
   */
  public static NotifySocket named(String name) throws IOException {
    return new NotifySocket(name);
  }

  /** As the variable {@code NOTIFY_SOCKET} has it. */
  public String name() {
    return name;
  }

  /** The notices so far, in order; grows. */
  public List<String> received() {
    return received;
  }

  @Override
  public void close() {
    receiver.destroyForcibly();
  }
}
