package dev.holdfast.web.access;

import dev.holdfast.failure.Sha256;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Logins that somebody else checks.
 *
 * @param proxy null where no proxy is trusted
 * @param provider the name of the place where people log in, for the page; null where there is none
 * @param members which of them may do what
 */
public record OtherLogins(@Nullable ProxyLogin proxy, @Nullable String provider, Members members) {
  public static final OtherLogins NONE =
      new OtherLogins(null, null, new Members(List.of(), List.of()));

  /**
   * Returns a text that changes when the list of who may come in has changed. Earlier logins are
   * over then.
   */
  String realm() {
    return Digests.base64url(Sha256.of("realm " + provider + " " + members));
  }
}
