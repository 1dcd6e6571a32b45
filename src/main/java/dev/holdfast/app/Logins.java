package dev.holdfast.app;

import dev.holdfast.config.AuthSettings;
import dev.holdfast.web.Pages;
import dev.holdfast.web.Routes;
import dev.holdfast.web.access.Access;
import dev.holdfast.web.access.Members;
import dev.holdfast.web.access.OtherLogins;
import dev.holdfast.web.access.ProxyLogin;
import dev.holdfast.web.oidc.OidcClient;
import dev.holdfast.web.oidc.OidcRoutes;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The logins that others check, as they are configured. */
final class Logins {
  private Logins() {}

  static OtherLogins of(AuthSettings auth) {
    return new OtherLogins(
        proxy(auth.proxy()),
        auth.oidc() == null ? null : auth.oidc().issuer().getHost(),
        new Members(auth.viewers(), auth.operators()));
  }

  private static @Nullable ProxyLogin proxy(AuthSettings.@Nullable Proxy proxy) {
    return proxy == null
        ? null
        : new ProxyLogin(
            proxy.header(),
            proxy.groupsHeader(),
            address -> proxy.addresses().stream().anyMatch(each -> each.contains(address)),
            proxy.secret());
  }

  /**
   * Returns the routes of OpenID Connect, or nothing where no provider is configured. Then its
   * library need not be there.
   */
  static Optional<Routes> oidc(AuthSettings auth, Access access, Pages pages) {
    AuthSettings.Oidc oidc = auth.oidc();
    if (oidc == null) {
      return Optional.empty();
    }
    OidcClient client =
        new OidcClient(
            oidc.issuer(),
            oidc.clientId(),
            oidc.clientSecret(),
            oidc.console(),
            oidc.scopes(),
            oidc.nameClaim(),
            oidc.groupsClaim());
    return Optional.of(new OidcRoutes(client, access, pages, InstantSource.system()));
  }
}
