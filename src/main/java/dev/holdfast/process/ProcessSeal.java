package dev.holdfast.process;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this process's secrets from its children and neighbours, on Linux; elsewhere it does
 * nothing. Three measures, for none is enough alone:
 *
 * <ul>
 *   <li>The values of all variables but the harmless ones are wiped from the memory that {@code
 *       /proc/PID/environ} shows, so that not even root reads them there. {@link System#getenv} has
 *       its own copy and is not changed.
 *   <li>The process is not dumpable: other processes of its user can neither read its memory nor
 *       trace it, and it leaves no core file.
 *   <li>Nobody can attach to the JVM ({@link AttachSeal}).
 * </ul>
 */
public final class ProcessSeal {
  private static final Logger log = LoggerFactory.getLogger(ProcessSeal.class);

  private static final int PR_SET_DUMPABLE = 4;

  /**
   * The index of env_start among the words after the program's name in {@code /proc/self/stat};
   * env_end is the next one.
   */
  private static final int ENVIRONMENT_START = 47;

  private ProcessSeal() {}

  /**
   * Seals this process for good. A measure that fails is logged in one line, and the process goes
   * on without it.
   */
  public static void apply() {
    if (!System.getProperty("os.name", "").equals("Linux")) {
      return;
    }
    try {
      wipeEnvironment();
    } catch (IOException | RuntimeException e) {
      log.warn("secrets stay readable in /proc/{}/environ: {}", pid(), e.toString());
    }
    // The first call of C in a process takes a tenth of a second, and a start need not wait for it.
    Thread.ofPlatform().daemon().name("holdfast-seal").start(ProcessSeal::forbidDumpsOrSay);
  }

  private static void forbidDumpsOrSay() {
    try {
      forbidDumps();
      AttachSeal.apply();
    } catch (IOException | RuntimeException e) {
      log.warn("other processes of this user may read this one's memory: {}", e.toString());
    }
  }

  private static long pid() {
    return ProcessHandle.current().pid();
  }

  @SuppressWarnings("restricted") // the block is this process's own
  private static void wipeEnvironment() throws IOException {
    // Java copies the environment at the first request for it; after the wipe it would copy
    // nothing.
    System.getenv();
    String stat = Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1);
    String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    long start = Long.parseLong(words[ENVIRONMENT_START]);
    long end = Long.parseLong(words[ENVIRONMENT_START + 1].strip());
    if (start == 0 || end < start) {
      throw new IOException("/proc/self/stat does not tell where the environment is");
    }
    wipe(MemorySegment.ofAddress(start).reinterpret(end - start));
  }

  /** Wipes entries {@code NAME=VALUE}, each with a NUL after it. */
  private static void wipe(MemorySegment block) {
    long from = 0;
    while (from < block.byteSize()) {
      long equals = indexOf(block, '=', from);
      long end = indexOf(block, '\0', from);
      if (equals < end) {
        byte[] name = block.asSlice(from, equals - from).toArray(ValueLayout.JAVA_BYTE);
        if (!isHarmless(new String(name, StandardCharsets.ISO_8859_1))) {
          block.asSlice(equals + 1, end - equals - 1).fill((byte) 0);
        }
      }
      from = end + 1;
    }
  }

  /**
   * True if a value may stay. The run's mark must stay, because a job's processes are found and
   * ended by it.
   */
  private static boolean isHarmless(String name) {
    return BaseEnvironment.isHarmless(name) || name.equals(ProgramRun.RUN_ID);
  }

  private static long indexOf(MemorySegment block, char wanted, long from) {
    long at = from;
    while (at < block.byteSize() && block.get(ValueLayout.JAVA_BYTE, at) != wanted) {
      at++;
    }
    return at;
  }

  private static void forbidDumps() throws IOException {
    MethodHandle prctl =
        NativeFunction.named(
            "prctl",
            FunctionDescriptor.of(
                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG),
            Linker.Option.firstVariadicArg(1),
            Linker.Option.captureCallState("errno"));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment failure = arena.allocate(Linker.Option.captureStateLayout());
      int result =
          NativeFunction.call("prctl", () -> (int) prctl.invokeExact(failure, PR_SET_DUMPABLE, 0L));
      if (result != 0) {
        throw new IOException("prctl failed, errno " + failure.get(ValueLayout.JAVA_INT, 0));
      }
    }
  }
}
