package dev.holdfast.process;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * Sends datagrams to unix domain sockets, on Linux. Java's own channels know only streams there.
 */
public final class UnixDatagram {
  private static final int AF_UNIX = 1;
  private static final int SOCK_DGRAM_CLOEXEC = 2 | 0x80000;
  private static final int MSG_NOSIGNAL = 0x4000;

  /** The number of bytes of {@code sun_path}, after the family's two. */
  private static final int LONGEST = 108;

  private static final MethodHandle SOCKET =
      function(
          "socket",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT));

  private static final MethodHandle SENDTO =
      function(
          "sendto",
          FunctionDescriptor.of(
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS,
              ValueLayout.JAVA_INT));

  private static final MethodHandle CLOSE =
      function("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

  private UnixDatagram() {}

  /**
   * Sends one datagram.
   *
   * @param socket the receiver's path, or {@code @name} in Linux' abstract name space
   * @throws IOException if nobody receives there, or the name is not one of a socket
   */
  public static void send(String socket, String message) throws IOException {
    byte[] name = socket.getBytes(StandardCharsets.UTF_8);
    if (!(socket.startsWith("/") || socket.startsWith("@")) || name.length >= LONGEST) {
      throw new IOException("not the name of a unix socket: " + socket);
    }
    if (name[0] == '@') {
      name[0] = 0;
    }
    byte[] text = message.getBytes(StandardCharsets.UTF_8);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment failure = arena.allocate(Linker.Option.captureStateLayout());
      MemorySegment content = arena.allocateFrom(ValueLayout.JAVA_BYTE, text);
      MemorySegment address = arena.allocate(Short.BYTES + name.length, Short.BYTES);
      address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_UNIX);
      address.asSlice(Short.BYTES).copyFrom(MemorySegment.ofArray(name));
      int length = (int) address.byteSize();
      int descriptor =
          NativeFunction.call(
              "socket", () -> (int) SOCKET.invokeExact(failure, AF_UNIX, SOCK_DGRAM_CLOEXEC, 0));
      check(descriptor, socket, failure);
      try {
        long sent =
            NativeFunction.call(
                "sendto",
                () ->
                    (long)
                        SENDTO.invokeExact(
                            failure,
                            descriptor,
                            content,
                            (long) text.length,
                            MSG_NOSIGNAL,
                            address,
                            length));
        check(sent, socket, failure);
      } finally {
        NativeFunction.call("close", () -> (int) CLOSE.invokeExact(failure, descriptor));
      }
    }
  }

  private static void check(long result, String socket, MemorySegment failure) throws IOException {
    if (result < 0) {
      int number = failure.get(ValueLayout.JAVA_INT, 0);
      throw new IOException("nothing was sent to " + socket + ": errno " + number);
    }
  }

  private static MethodHandle function(String name, FunctionDescriptor signature) {
    return NativeFunction.named(name, signature, Linker.Option.captureCallState("errno"));
  }
}
