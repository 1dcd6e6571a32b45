package dev.holdfast.web.console;

import dev.holdfast.ticket.Design;
import java.util.List;

/** The latest version of each design. */
public record DesignsPage(Page page, List<Design> designs) {
  public DesignsPage {
    designs = List.copyOf(designs);
  }
}
