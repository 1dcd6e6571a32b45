package dev.holdfast.process;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A program that Java has started although it says that it has not, because there was no thread to
 * wait for its end. Its work is done again later, so it must not go on.
 */
final class UnheardProgram {
  private static final Logger log = LoggerFactory.getLogger(UnheardProgram.class);
  private static final long NO_SESSION = -1;

  private UnheardProgram() {}

  /**
   * Kills the processes that carry the id of the run, if there are any. The dead process itself
   * stays in the machine's table until this one ends: Java does not reap it, and would wait in vain
   * for the next one of its number.
   */
  static void end(OwnSession session) {
    try {
      UnownedProcesses.end(() -> living(session), Duration.ZERO);
    } catch (IOException e) {
      log.warn(
          "The process table cannot be read ({}): a program with {}={} may run beside a second one",
          e.toString(),
          ProgramRun.RUN_ID,
          session.runId());
    }
  }

  private static List<ProcessTable.Member> living(OwnSession session) throws IOException {
    return ProcessTable.read(ProcessTable.OWN_START, null)
        .members(NO_SESSION, session.runId(), 0, session.user());
  }
}
