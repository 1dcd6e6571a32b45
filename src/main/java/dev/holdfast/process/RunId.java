package dev.holdfast.process;

import java.io.IOException;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The values of {@link ProgramRun#RUN_ID}. Each names the worker that started the run, so that a
 * process that finds one of its processes knows whether anybody still waits for it.
 */
final class RunId {
  /**
   * The form: the worker's number, its start, because its number may be another's later, and the
   * run.
   */
  private static final Pattern FORM = Pattern.compile("(\\d{1,10}):(\\d{1,18}):.+");

  private RunId() {}

  /** Returns the id of one more run of this process. */
  static String next() {
    return ProcessHandle.current().pid() + ":" + ProcessTable.OWN_START + ":" + UUID.randomUUID();
  }

  /**
   * True if the worker that started the run has ended. False where that cannot be known, and for
   * the run that this process itself belongs to.
   *
   * @throws IOException if this machine has no room for the look
   */
  static boolean isLeft(String id) throws IOException {
    Matcher form = FORM.matcher(id);
    if (!form.matches() || id.equals(System.getenv(ProgramRun.RUN_ID))) {
      return false;
    }
    ProcessTable.Stat worker = ProcessTable.stat(Long.parseLong(form.group(1)));
    return worker == null
        || !worker.isAlive()
        || worker.startedAt() != Long.parseLong(form.group(2));
  }
}
