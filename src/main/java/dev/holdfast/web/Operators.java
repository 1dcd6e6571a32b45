package dev.holdfast.web;

import io.javalin.http.Context;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who may change tickets over HTTP: bearers of an operator's token. Without configured tokens the
 * port is on loopback only, and whoever is on this machine may; but no page of another site that a
 * browser on this machine shows.
 */
final class Operators {
  private static final String BEARER = "Bearer ";

  private final List<byte[]> secrets;
  private final boolean open;

  /**
   * @param operatorTokens the secrets
   * @param open whether no tokens are configured at all
   */
  Operators(Collection<String> operatorTokens, boolean open) {
    this.secrets = operatorTokens.stream().map(Operators::bytes).toList();
    this.open = open;
  }

  /** Null for who may go on; else what to answer. */
  @Nullable Problem refusal(Context context) {
    if (isFromAnotherSite(context)) {
      return new Problem(403, "Forbidden", "this was sent by a page of another site");
    }
    if (open) {
      return null;
    }
    String header = context.header("Authorization");
    if (header == null || !header.startsWith(BEARER)) {
      return new Problem(
          401, "Unauthorized", "send an operator's token of web.tokens: Authorization: Bearer ...");
    }
    byte[] given = bytes(header.substring(BEARER.length()).strip());
    boolean known = false;
    for (byte[] secret : secrets) {
      known |= MessageDigest.isEqual(secret, given);
    }
    return known ? null : new Problem(403, "Forbidden", "that is no operator's token");
  }

  private static boolean isFromAnotherSite(Context context) {
    String origin = context.header("Origin");
    if (origin == null) {
      return false;
    }
    try {
      return !String.valueOf(URI.create(origin).getAuthority()).equals(context.header("Host"));
    } catch (IllegalArgumentException e) {
      return true;
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
