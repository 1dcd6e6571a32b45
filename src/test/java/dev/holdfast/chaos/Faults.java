package dev.holdfast.chaos;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The log of what the harness did, kept where no fault reaches it. Thread-safe. */
final class Faults {
  private final List<Fault> all = new ArrayList<>();
  private Instant lastEnd = Instant.EPOCH;

  /** Work that is a fault while it runs. */
  interface Work {
    void run() throws Exception;
  }

  /** From now on for good. */
  synchronized void strike(String worker, String what) {
    all.add(new Fault(what, worker, Instant.now(), null));
    lastEnd = Instant.now();
  }

  /** Strikes everybody while the work runs. */
  void during(String what, Work work) throws Exception {
    during(what, null, work);
  }

  /** Strikes a worker while the work runs. */
  void during(String what, @Nullable String worker, Work work) throws Exception {
    Instant began = Instant.now();
    try {
      work.run();
    } finally {
      add(new Fault(what, worker, began, Instant.now()));
    }
  }

  private synchronized void add(Fault fault) {
    all.add(fault);
    lastEnd = Instant.now();
  }

  synchronized List<Fault> all() {
    return List.copyOf(all);
  }

  /** When the last of them was over. */
  synchronized Instant lastEnd() {
    return lastEnd;
  }
}
