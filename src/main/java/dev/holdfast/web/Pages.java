package dev.holdfast.web;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The pages that stand alone, as HTML: what a browser gets instead of a problem document, and the
 * login. Thread-safe.
 */
public interface Pages {
  /**
   * The contents of the login page.
   *
   * @param problem why the last try failed; null at the first
   * @param next where to go afterwards: a path of this server
   * @param token whether a token lets somebody in
   * @param provider the other place where people log in; null if there is none
   */
  record LoginForm(
      @Nullable String problem, String next, boolean token, @Nullable String provider) {
    /** Returns the address at which the provider's login begins. */
    public String providerPath() {
      return "/login/oidc?next=" + URLEncoder.encode(next, StandardCharsets.UTF_8);
    }
  }

  String login(LoginForm form);

  /**
   * Makes the page of an error.
   *
   * @param back the page with the form that was refused; null where none was sent
   * @param again the number of seconds after which the browser should ask again; 0 for never
   */
  String problem(Problem problem, @Nullable String back, int again);

  /** Makes pages without a design. */
  static Pages plain() {
    return new PlainPages();
  }
}
