package dev.holdfast.process;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * Lets nobody attach to this JVM. With {@code jcmd PID GC.heap_dump} another program of the same
 * user could write down every secret, and a loaded agent would run as the worker.
 *
 * <p>The launchers set {@code -XX:+DisableAttachMechanism}. A JVM that was started without it opens
 * its socket when it gets SIGQUIT, so that signal is given to a function that does nothing. A
 * person who sets {@code -XX:-DisableAttachMechanism} wants it open.
 */
final class AttachSeal {
  private static final int SIGQUIT = 3;
  private static final List<String> DECIDED =
      List.of("-XX:+DisableAttachMechanism", "-XX:-DisableAttachMechanism");

  private AttachSeal() {}

  static void apply() throws IOException {
    if (ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .noneMatch(DECIDED::contains)) {
      neutralise();
    }
  }

  /**
   * Sets {@code abs} as the handler: it takes an int, as a handler does, and only computes.
   * Programs that this process starts would inherit an ignored signal, but they do not inherit a
   * handler.
   */
  private static void neutralise() throws IOException {
    MethodHandle signal =
        NativeFunction.named(
            "signal",
            FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    MemorySegment handler = Linker.nativeLinker().defaultLookup().findOrThrow("abs");
    MemorySegment before =
        NativeFunction.call("signal", () -> (MemorySegment) signal.invokeExact(SIGQUIT, handler));
    if (before.address() == -1) {
      throw new IOException("signal failed");
    }
  }
}
