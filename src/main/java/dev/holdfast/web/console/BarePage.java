package dev.holdfast.web.console;

import dev.holdfast.web.Pages;
import org.jspecify.annotations.Nullable;

/**
 * A page without a menu: nobody is let in, or nothing can be read.
 *
 * @param problem what is wrong; null for nothing
 * @param back the page with the form that was refused; null where none was sent
 * @param again after how many seconds the browser tries by itself; 0 for never
 */
public record BarePage(
    String title, @Nullable String problem, @Nullable String back, int again, String assets) {
  /** The page where people log in. */
  public record Login(BarePage bare, Pages.LoginForm form) {}
}
