package dev.holdfast.web.console;

import dev.holdfast.queue.view.DesignVersion;
import dev.holdfast.web.console.view.Diff;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A design's versions.
 *
 * @param shown the version whose document is shown
 * @param document the document of that version, indented
 * @param before the version it is compared with; null for none
 * @param changes between the two documents
 */
public record DesignPage(
    Page page,
    List<DesignVersion> versions,
    DesignVersion shown,
    String document,
    @Nullable DesignVersion before,
    List<Diff.Line> changes) {
  public DesignPage {
    versions = List.copyOf(versions);
    changes = List.copyOf(changes);
  }
}
