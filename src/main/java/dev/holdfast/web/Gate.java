package dev.holdfast.web;

import dev.holdfast.web.access.Access;
import dev.holdfast.web.access.AccessToken;
import dev.holdfast.web.access.Digests;
import dev.holdfast.web.access.Entrance;
import dev.holdfast.web.access.Login;
import dev.holdfast.web.access.Origin;
import dev.holdfast.web.access.ProxyLogin;
import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.javalin.router.JavalinDefaultRoutingApi;
import io.javalin.security.RouteRole;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Stands before every route. It checks who comes, whether they may, and whether the request is
 * their own and not that of a page of another site in their browser.
 */
final class Gate implements Routes {
  private static final int FAILURES_PER_MINUTE = 20;
  private static final String BEARER = "Bearer ";
  private static final Pattern NO_SEQUENCE = Pattern.compile("%(?![0-9a-fA-F]{2})");
  private static final Set<HandlerType> READS =
      Set.of(HandlerType.GET, HandlerType.HEAD, HandlerType.OPTIONS);
  private static final Set<String> THIS_MACHINE = Set.of("localhost", "127.0.0.1", "[::1]");

  private final Access access;
  private final RequestRates requests;
  private final RequestRates failures;

  Gate(Access access, InstantSource clock) {
    this.access = access;
    this.requests = new RequestRates(access.requestsPerMinute(), clock);
    this.failures = new RequestRates(FAILURES_PER_MINUTE, clock);
  }

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.before(Gate::protect);
    routes.before(context -> Entrance.open(context, access.console()));
    routes.before(Gate::requireReadable);
    routes.beforeMatched(this::admit);
  }

  /** Sets the headers of every answer. */
  private static void protect(Context context) {
    context
        .header("X-Content-Type-Options", "nosniff")
        .header("Referrer-Policy", "same-origin")
        .header("Cross-Origin-Opener-Policy", "same-origin")
        .header("Cross-Origin-Resource-Policy", "same-origin")
        .header("Cache-Control", "no-store")
        .header(
            "Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                + " font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self';"
                + " base-uri 'none'; frame-ancestors 'none'");
  }

  /**
   * Refuses a query that cannot be read. It would count as missing, and widen what is asked for.
   */
  private static void requireReadable(Context context) {
    String query = context.queryString();
    if (query != null && NO_SEQUENCE.matcher(query).find()) {
      throw Refused.badRequest(
          "the address has a % without two hexadecimal digits; write %25 for %");
    }
  }

  private void admit(Context context) {
    Role wanted = wanted(context);
    if (wanted == Role.ANYONE) {
      return;
    }
    if (access.isLocal()) {
      requireThisMachine(context);
    }
    Visitor visitor = visitor(context);
    if (!visitor.role().includes(wanted)) {
      throw new Refused(403, "this needs an operator; you are a viewer");
    }
    visitor.enter(context);
  }

  private static Role wanted(Context context) {
    Set<RouteRole> roles = context.routeRoles();
    if (roles.size() == 1 && roles.iterator().next() instanceof Role role) {
      return role;
    }
    if (context.method().equals(HandlerType.HEAD)) {
      context.header("Allow", "GET");
      throw new Refused(405, "HEAD is not for this path");
    }
    throw new IllegalStateException("the route " + context.path() + " must name one role");
  }

  /**
   * Refuses other host names. Somebody else's DNS name that points to this machine is how their
   * page would get here.
   */
  private void requireThisMachine(Context context) {
    if (!THIS_MACHINE.contains(hostName(context))) {
      throw new Refused(
          403, "without web.tokens, Holdfast answers only to localhost, not to this host's name");
    }
    requireSameSite(context);
  }

  private static String hostName(Context context) {
    String host = String.valueOf(context.header("Host"));
    return host.replaceFirst(":[0-9]*$", "").toLowerCase(Locale.ROOT);
  }

  private Visitor visitor(Context context) {
    String header = context.header("Authorization");
    ProxyLogin.Word word =
        access.others().proxy() == null
            ? new ProxyLogin.Word.None()
            : access.others().proxy().of(context.req());
    // A proxy that asks for passwords may pass them on; only a Bearer is meant for this server.
    if (header != null && header.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
      return withToken(context, header.substring(BEARER.length()).strip());
    }
    return switch (word) {
      case ProxyLogin.Word.Person person -> named(context, person);
      case ProxyLogin.Word.Unclear unclear -> throw new Refused(403, unclear.why());
      case ProxyLogin.Word.Untrusted other -> withCookie(context, new Refused(403, other.why()));
      case ProxyLogin.Word.None none -> withCookie(context, nobody());
    };
  }

  private Refused nobody() {
    return new Refused(
        401,
        "send " + access.whereTokensAre() + ": Authorization: Bearer TOKEN, or log in at /login");
  }

  /**
   * Returns the visitor that the proxy names. A browser sends what identifies it to the proxy with
   * every page's requests, so forms are checked.
   */
  private Visitor named(Context context, ProxyLogin.Word.Person person) {
    Role role =
        access
            .others()
            .members()
            .roleOf(person.name(), person.groups())
            .orElseThrow(() -> new Refused(403, LoginRoutes.notLetIn(person.name())));
    return checked(
        context,
        new Login("proxy " + person.name(), person.name(), role),
        access.cookies().csrfToken("proxy " + person.name()),
        false);
  }

  private Visitor withCookie(Context context, Refused otherwise) {
    String cookie = access.cookies().among(context.cookieMap());
    if (cookie == null) {
      throw otherwise;
    }
    Login login =
        access
            .cookies()
            .read(cookie, access)
            .orElseThrow(() -> new Refused(401, "this login is over; log in again at /login"));
    return checked(context, login, access.cookies().csrfToken(cookie), true);
  }

  private Visitor withToken(Context context, String secret) {
    AccessToken token = access.bearing(secret).orElseThrow(() -> refuseToken(context));
    requireRoom(context, token.id());
    return new Visitor(token.actor(), token.role(), "", false);
  }

  /**
   * Counts the failure; somebody who sends many wrong tokens must wait. A right token is accepted
   * anyway, because behind a proxy everybody has one address.
   */
  Refused refuseToken(Context context) {
    if (!failures.take(context.ip())) {
      context.header("Retry-After", "60");
      return new Refused(429, "too many wrong tokens from this address; wait a minute");
    }
    return new Refused(401, "that is not " + access.whereTokensAre());
  }

  private Visitor checked(Context context, Login login, String csrf, boolean loggedIn) {
    requireRoom(context, login.id());
    if (!READS.contains(context.method())) {
      requireSameSite(context);
      requireCsrfToken(context, csrf);
    }
    return new Visitor(login.actor(), login.role(), csrf, loggedIn);
  }

  private static void requireCsrfToken(Context context, String wanted) {
    String given = context.header("X-CSRF-Token");
    if (given == null && isForm(context)) {
      given = context.formParam("_csrf");
    }
    if (given == null || !Digests.areEqual(wanted, given)) {
      throw new Refused(403, "this page is too old to act; load it again");
    }
  }

  static boolean isForm(Context context) {
    String type = context.contentType();
    return type != null && type.startsWith("application/x-www-form-urlencoded");
  }

  private void requireRoom(Context context, String who) {
    if (!requests.take(who)) {
      context.header("Retry-After", "60");
      throw new Refused(429, "too many requests; see web.requests-per-minute");
    }
    RequestSlots.take(context.req(), who);
  }

  /**
   * Refuses requests of other sites. Browsers say which site's page sends a request; other programs
   * do not.
   */
  void requireSameSite(Context context) {
    String site = context.header("Sec-Fetch-Site");
    boolean crossSite =
        !READS.contains(context.method())
            && site != null
            && !site.equals("same-origin")
            && !site.equals("none");
    if (crossSite) {
      throw new Refused(403, "this was sent by a page of another site");
    }
    String origin = context.header("Origin");
    String host = context.header("Host");
    if (origin != null && !isOurs(origin, host)) {
      throw new Refused(
          403,
          "this was sent by a page of another site: the page is of %s, but the request came for the"
                  .formatted(origin)
              + " host %s. Behind a proxy, let it pass Host on, or set webhooks.console-url"
                  .formatted(host));
    }
  }

  private boolean isOurs(String from, @Nullable String host) {
    Optional<Origin> origin = Origin.parse(from);
    return origin.filter(each -> each.isOf(host)).isPresent()
        || (origin.isPresent() && origin.equals(access.console()));
  }
}
