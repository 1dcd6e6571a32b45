package dev.holdfast.web.oidc;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * This console, as a provider of OpenID Connect knows it.
 *
 * @param secret null for a public client
 * @param console where people reach the console
 * @param nameClaim the claim with the name in which people act
 * @param groupsClaim the claim with the groups that they are in
 */
public record OidcClient(
    URI issuer,
    String id,
    @Nullable String secret,
    URI console,
    List<String> scopes,
    String nameClaim,
    String groupsClaim) {
  /** Returns the address that the provider sends people back to. */
  URI callback() {
    return console.resolve(OidcRoutes.CALLBACK);
  }

  @Override
  public String toString() {
    return "OidcClient[issuer=" + issuer + ", id=" + id + "]";
  }
}
