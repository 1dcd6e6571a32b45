package dev.holdfast.process;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Ends all processes of a group in one step, before any of them can fork again. */
final class ProcessGroup {
  private ProcessGroup() {}

  /**
   * Kills them in this process, for hundreds of programs that do it take seconds; by a program only
   * where the call is not allowed.
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

    private static final MethodHandle KILL =
        NativeFunction.named(
            "kill",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    /** Whether any was left to be killed shows the next look. */
    static void kill(long number) throws IOException {
      int group = -Math.toIntExact(number);
      int _ = NativeFunction.call("kill", () -> (int) KILL.invokeExact(group, SIGKILL));
    }
  }
}
