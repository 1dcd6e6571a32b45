package dev.holdfast.web.access;

import io.javalin.security.RouteRole;

/** The role that a route asks for. Each route names one; one that names none answers nobody. */
public enum Role implements RouteRole {
  /** No check at all: health, metrics, the login page and its static files. */
  ANYONE,
  /** May read. */
  VIEWER,
  /** May read and act. */
  OPERATOR;

  public boolean includes(Role wanted) {
    return compareTo(wanted) >= 0;
  }
}
