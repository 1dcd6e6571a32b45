package dev.holdfast.web;

import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import org.jspecify.annotations.Nullable;

/**
 * The sender of a request. Immutable.
 *
 * @param actor in whose name they act, as {@code ticket_activity} records it: the name of their
 *     token
 * @param role what they may do
 * @param csrfToken what a page must send back with what it posts, as form field {@code _csrf} or
 *     header {@code X-CSRF-Token}; empty where none is needed
 * @param loggedIn whether they came through the login page, so that they can log out
 */
public record Visitor(String actor, Role role, String csrfToken, boolean loggedIn) {
  private static final String ATTRIBUTE = "holdfast.visitor";

  /**
   * Returns the visitor whom the gate let in; only for handlers of routes that are not for anyone.
   */
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

  /**
   * Returns in whose name the visitor acts.
   *
   * @param by the name in the request; it may be left out
   * @throws Refused if it is another name than the token's
   */
  public String actor(@Nullable String by) {
    if (by != null && !by.isBlank() && !by.strip().equals(actor)) {
      throw new Refused(
          403,
          "by: your token acts as \""
              + actor
              + "\" and nobody else; leave it out, or send the token of that person");
    }
    return actor;
  }
}
