package dev.holdfast.web.access;

/**
 * Somebody who is let in.
 *
 * @param id names the login without showing a secret: for counting its requests
 * @param actor in whose name they act
 * @param role not {@link Role#ANYONE}
 */
public record Login(String id, String actor, Role role) {}
