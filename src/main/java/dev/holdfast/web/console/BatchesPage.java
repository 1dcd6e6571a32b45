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
}
