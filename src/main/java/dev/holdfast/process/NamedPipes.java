package dev.holdfast.process;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.Charset;
import java.nio.file.Path;

/** Makes pipes that have a name and that nobody else may open. */
final class NamedPipes {
  private static final int OWNER_ONLY = 0600;

  private NamedPipes() {}

  /**
   * Makes pipes. Does so in this process where that is allowed, because a program for it would take
   * longer than many a command.
   *
   * @throws IOException if the system cannot
   */
  static void make(Path... pipes) throws IOException {
    if (NativeFunction.isAllowed()) {
      for (Path pipe : pipes) {
        InThisProcess.make(pipe);
      }
    } else {
      makeByProgram(pipes);
    }
  }

  static void makeByProgram(Path... pipes) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("mkfifo", "-m", Integer.toOctalString(OWNER_ONLY))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD);
    for (Path pipe : pipes) {
      builder.command().add(pipe.toString());
    }
    int code = builder.start().onExit().join().exitValue();
    if (code != 0) {
      throw failed(pipes[0], "exit code " + code);
    }
  }

  private static IOException failed(Path pipe, String how) {
    return new IOException(
        "mkfifo cannot make a pipe in " + pipe.getParent() + " (" + how + "): is the disk full?");
  }

  private static final class InThisProcess {
    /** The encoding in which Java itself writes file names. */
    private static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding"));

    private static final MethodHandle MKFIFO =
        NativeFunction.named(
            "mkfifo",
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
            Linker.Option.captureCallState("errno"));

    static void make(Path pipe) throws IOException {
      byte[] name = pipe.toString().getBytes(NAMES);
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment failure = arena.allocate(Linker.Option.captureStateLayout());
        MemorySegment path = arena.allocate(name.length + 1L);
        path.copyFrom(MemorySegment.ofArray(name));
        int result =
            NativeFunction.call(
                "mkfifo", () -> (int) MKFIFO.invokeExact(failure, path, OWNER_ONLY));
        if (result != 0) {
          throw failed(pipe, "errno " + failure.get(ValueLayout.JAVA_INT, 0));
        }
      }
    }
  }
}
