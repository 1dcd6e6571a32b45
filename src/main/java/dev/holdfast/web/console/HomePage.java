package dev.holdfast.web.console;

import dev.holdfast.queue.spending.ProviderStatus;
import dev.holdfast.queue.view.FigureWindow;
import dev.holdfast.web.console.home.Overview;
import dev.holdfast.web.console.view.Links;
import java.util.List;

/**
 * The home page: what is going on.
 *
 * @param providers the providers that are not called now
 */
public record HomePage(Page page, Overview overview, List<ProviderStatus> providers) {
  public HomePage {
    providers = List.copyOf(providers);
  }

  /** Returns the address of the page with another window. */
  public String address(FigureWindow window) {
    return Links.with("/", "window", window.wireName());
  }
}
