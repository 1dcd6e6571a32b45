package dev.holdfast.repair;

import dev.holdfast.llm.Standstill;
import java.io.IOException;

/** None of the targets is to be called now; the run goes on once one is. */
public final class StoodStillException extends IOException {
  private static final long serialVersionUID = 1;

  private final transient Standstill why;

  StoodStillException(Standstill why) {
    super(why.words());
    this.why = why;
  }

  public Standstill why() {
    return why;
  }
}
