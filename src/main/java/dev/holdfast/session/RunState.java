package dev.holdfast.session;

import dev.holdfast.session.event.SessionEvents;
import dev.holdfast.session.journal.Standing;

/** The state that the parts of one execution share. Confined to the session's thread. */
record RunState(Memory memory, Progress progress, Notices notices, SessionEvents events) {
  /** Goes on where the journal ends. */
  void restore() {
    memory.restore();
    progress.restore(memory.standing());
    notices.restore(memory.standing().notices());
  }

  /** For the journal. */
  Standing standing() {
    return progress.standing(notices.pending());
  }
}
