package dev.holdfast.web.console;

import dev.holdfast.queue.read.DesignHealth;
import java.util.List;

/** All designs, with the results of the newest tickets. */
public record DesignsPage(Page page, List<DesignHealth> designs) {
  public DesignsPage {
    designs = List.copyOf(designs);
  }
}
