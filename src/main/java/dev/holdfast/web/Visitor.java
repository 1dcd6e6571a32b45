package dev.holdfast.web;

import io.javalin.http.Context;
import org.jspecify.annotations.Nullable;

/**
 * Who sends the request. Immutable.
 *
 * @param name as {@code ticket_activity} is told; null where a token without a name was sent, whose
 *     bearer may say it with each action
 * @param fallback who is said to act where neither the name nor the action says it
 * @param role what they may do
 * @param csrfToken what a page must send back with what it posts, as form field {@code _csrf} or
 *     header {@code X-CSRF-Token}; empty where none is needed
 * @param loggedIn whether they came through the login page, so that there is something to log out
 *     of
 */
public record Visitor(
    @Nullable String name, String fallback, Role role, String csrfToken, boolean loggedIn) {
  private static final String ATTRIBUTE = "holdfast.visitor";
  private static final int LONGEST_NAME = 100;

  /** The visitor whom the gate let in; only for handlers of routes that are not for anyone. */
  public static Visitor of(Context context) {
    Visitor visitor = context.attribute(ATTRIBUTE);
    if (visitor == null) {
      throw new IllegalStateException("nobody was let in to " + context.path());
    }
    return visitor;
  }

  void enter(Context context) {
    context.attribute(ATTRIBUTE, this);
  }

  public boolean mayAct() {
    return role.includes(Role.OPERATOR);
  }

  /** In whose name the visitor acts. */
  public String actor() {
    return name == null ? fallback : name;
  }

  /**
   * In whose name the visitor acts who says so with the action.
   *
   * @throws Refused if their token has a name, which is another one
   */
  public String actor(@Nullable String by) {
    if (by == null || by.isBlank()) {
      return actor();
    }
    String stripped = by.strip();
    if (stripped.length() > LONGEST_NAME) {
      throw new Refused(422, "by: a name of at most " + LONGEST_NAME + " characters");
    }
    if (name != null && !name.equals(stripped)) {
      throw new Refused(403, "this visitor acts as \"" + name + "\" and nobody else");
    }
    return stripped;
  }
}
