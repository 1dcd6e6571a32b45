package dev.holdfast.web.console;

import dev.holdfast.batch.Batch;
import dev.holdfast.batch.Release;
import java.util.List;

/** Batches, and releases in steps. */
public record BatchesPage(Page page, List<Batch> batches, List<Release> releases) {
  public BatchesPage {
    batches = List.copyOf(batches);
    releases = List.copyOf(releases);
  }

  /**
   * Returns true while a worker itself still notes the progress: after the last ticket has ended,
   * which is the last event that is sent to anybody.
   */
  public boolean isUnderWay() {
    return releases.stream().anyMatch(Release::isRunning)
        || batches.stream().anyMatch(each -> each.endedAt() == null && isWorked(each));
  }

  private static boolean isWorked(Batch batch) {
    return batch.worked() >= batch.total();
  }
}
