package dev.holdfast.process;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Knows whether any process of a group is left, and ends all of them in one step. */
final class ProcessGroup {
  private ProcessGroup() {}

  /**
   * Kills them all before any of them can fork again. This process does it, because hundreds of
   * programs for it take seconds; a program does it only where the call is not allowed.
   *
   * @param number the process that led it, or leads it
   * @throws IOException if that cannot be tried
   */
  static void kill(long number) throws IOException {
    if (NativeFunction.isAllowed()) {
      InThisProcess.kill(number);
    } else {
      killByProgram(number);
    }
  }

  /**
   * Returns false only if no process of the group is left.
   *
   * @param number the process that led it
   * @throws IOException if that cannot be asked
   */
  static boolean isThere(long number) throws IOException {
    return !NativeFunction.isAllowed() || InThisProcess.isThere(number);
  }

  static void killByProgram(long number) throws IOException {
    new ProcessBuilder("/bin/sh", "-c", "kill -s KILL -- -" + number)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start()
        .onExit()
        .join();
  }

  private static final class InThisProcess {
    private static final int SIGKILL = 9;

    /** The signal that reaches nobody: the call only says whether it could. */
    private static final int NO_SIGNAL = 0;

    private static final MethodHandle KILL =
        NativeFunction.named(
            "kill",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    /** Kills the group. The next look shows whether any process was left. */
    static void kill(long number) throws IOException {
      int _ = signal(number, SIGKILL);
    }

    static boolean isThere(long number) throws IOException {
      return signal(number, NO_SIGNAL) == 0;
    }

    private static int signal(long number, int signal) throws IOException {
      int group = -Math.toIntExact(number);
      return NativeFunction.call("kill", () -> (int) KILL.invokeExact(group, signal));
    }
  }
}
