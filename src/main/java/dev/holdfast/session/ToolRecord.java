package dev.holdfast.session;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.tool.ToolProgress;
import dev.holdfast.tool.ToolReply;
import dev.holdfast.tool.ToolRetrying;

/**
 * Writes down what the calls of one batch do as they do it, so that a process that dies in the
 * middle loses nothing that had ended. After it is closed nothing more is written: a tool that was
 * left behind is no longer part of the session. Thread-safe.
 */
final class ToolRecord implements ToolProgress, AutoCloseable {
  private final RunState run;
  private final Admission admission;
  private boolean closed;

  /**
   * @param admission of the calls
   */
  ToolRecord(RunState run, Admission admission) {
    this.run = run;
    this.admission = admission;
  }

  @Override
  public synchronized void starting(ToolCall call) throws InterruptedException {
    refuseIfClosed();
    run.memory()
        .record(new JournalEntry.ToolStarted(run.progress().turn(), call.id(), call.name()));
  }

  @Override
  public void running(ToolCall call) {
    run.events().emit(new SessionEvent.ToolStarted(run.progress().turn(), call));
  }

  @Override
  public void retrying(ToolRetrying retry) {
    run.events().emit(new SessionEvent.ToolRetry(run.progress().turn(), retry));
  }

  @Override
  public synchronized void finished(ToolReply reply) throws InterruptedException {
    refuseIfClosed();
    int turn = run.progress().turn();
    run.record(admission.entries(turn, reply));
    run.events().emit(new SessionEvent.ToolFinished(turn, reply));
  }

  private void refuseIfClosed() throws InterruptedException {
    if (closed) {
      throw new InterruptedException("the batch is over");
    }
  }

  /** Waits for what is being written. */
  @Override
  public synchronized void close() {
    closed = true;
  }
}
