package dev.holdfast.web.console;

import dev.holdfast.queue.view.DesignLine;
import java.util.List;

/** All designs, with what became of the newest tickets. */
public record DesignsPage(Page page, List<DesignLine> designs) {
  public DesignsPage {
    designs = List.copyOf(designs);
  }
}
