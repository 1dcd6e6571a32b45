package dev.holdfast.web.oidc;

import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.oauth2.sdk.AuthorizationCode;
import com.nimbusds.oauth2.sdk.ParseException;
import com.nimbusds.oauth2.sdk.id.State;
import com.nimbusds.openid.connect.sdk.AuthenticationResponse;
import com.nimbusds.openid.connect.sdk.AuthenticationResponseParser;
import dev.holdfast.web.LoginRoutes;
import dev.holdfast.web.Pages;
import dev.holdfast.web.Refused;
import dev.holdfast.web.Routes;
import dev.holdfast.web.access.Access;
import dev.holdfast.web.access.Entrance;
import dev.holdfast.web.access.LoginCookies;
import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.net.URI;
import java.time.InstantSource;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code GET /login/oidc} sends a browser to the provider, {@code GET /login/oidc/callback} lets it
 * in when it comes back: the authorization code flow with PKCE, state and nonce.
 */
public final class OidcRoutes implements Routes {
  static final String START = "/login/oidc";
  static final String CALLBACK = START + "/callback";
  private static final Logger log = LoggerFactory.getLogger(OidcRoutes.class);
  private static final int MOST_ENDED = 10_000;

  /**
   * The most logins at once: anybody may begin a login, and it lasts as long as the provider takes.
   */
  private static final int MOST_AT_ONCE = 16;

  private final OidcClient client;
  private final OidcProvider provider;
  private final Access access;
  private final Pages pages;
  private final Semaphore places = new Semaphore(MOST_AT_ONCE);
  private final Set<String> ended = Collections.synchronizedSet(new LinkedHashSet<>());

  public OidcRoutes(OidcClient client, Access access, Pages pages, InstantSource clock) {
    this.client = client;
    this.provider = new OidcProvider(client, clock);
    this.access = access;
    this.pages = pages;
  }

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.get(START, this::begin, Role.ANYONE);
    routes.get(CALLBACK, this::end, Role.ANYONE);
  }

  private void begin(Context context) {
    String next = Entrance.localPath(context.queryParam("next"));
    orSayWhy(context, next, () -> begin(context, LoginAttempt.to(next)));
  }

  private void begin(Context context, LoginAttempt attempt) {
    URI login = provider.login(attempt);
    LoginAttempt.tooMany(context.cookieMap().keySet()).forEach(name -> forget(context, name));
    context.cookie(
        Entrance.cookie(
            context,
            LoginAttempt.cookieName(attempt.state()).orElseThrow(),
            attempt.cookie(access.cookies()),
            START,
            (int) LoginAttempt.LIFETIME.toSeconds()));
    context.redirect(login.toString(), HttpStatus.SEE_OTHER);
  }

  private void end(Context context) {
    Optional<LoginAttempt> attempt = attempt(context);
    orSayWhy(
        context,
        attempt.map(LoginAttempt::next).orElse("/"),
        () -> end(context, attempt.orElseThrow(OidcRoutes::notBegun)));
  }

  private void end(Context context, LoginAttempt attempt) {
    AuthenticationResponse answer = answer(context);
    if (!attempt.state().equals(answer.getState())) {
      throw new Refused(403, "this login began elsewhere: its state is another; log in again");
    }
    if (!take(attempt.state().getValue())) {
      throw new Refused(403, "this login has ended before; log in again");
    }
    if (answer.getIssuer() != null
        && !answer.getIssuer().getValue().equals(client.issuer().toString())) {
      throw new Refused(403, "the answer comes from another provider than web.auth.oidc-issuer");
    }
    LoginAttempt.cookieName(attempt.state()).ifPresent(name -> forget(context, name));
    letIn(context, provider.claims(code(answer), attempt), attempt.next());
  }

  private Optional<LoginAttempt> attempt(Context context) {
    String state = context.queryParam("state");
    return LoginAttempt.cookieName(state == null || state.isEmpty() ? null : new State(state))
        .map(context::cookie)
        .flatMap(cookie -> LoginAttempt.read(cookie, access.cookies()));
  }

  private static Refused notBegun() {
    return new Refused(
        403, "no login has begun in this browser in the last 10 minutes; log in again");
  }

  private AuthenticationResponse answer(Context context) {
    Map<String, List<String>> parameters = context.queryParamMap();
    boolean twice = parameters.values().stream().anyMatch(values -> values.size() != 1);
    try {
      if (!twice) {
        return AuthenticationResponseParser.parse(client.callback(), parameters);
      }
    } catch (ParseException | IllegalArgumentException e) {
      log.debug("the provider's answer", e);
    }
    throw new Refused(403, "this is no answer of a provider's login; log in again");
  }

  private AuthorizationCode code(AuthenticationResponse answer) {
    if (answer.indicatesSuccess() && answer.toSuccessResponse().getAuthorizationCode() != null) {
      return answer.toSuccessResponse().getAuthorizationCode();
    }
    String why =
        answer.indicatesSuccess()
            ? "it sent no code"
            : OidcProvider.words(answer.toErrorResponse().getErrorObject());
    throw new Refused(403, "the login at " + client.issuer() + " failed: " + why);
  }

  /** Takes the state; returns false if it was taken before. */
  private boolean take(String state) {
    synchronized (ended) {
      if (ended.size() >= MOST_ENDED) {
        ended.remove(ended.iterator().next());
      }
      return ended.add(state);
    }
  }

  private void letIn(Context context, JWTClaimsSet claims, String next) {
    Person person = Person.of(claims, client);
    Role role =
        access
            .others()
            .members()
            .roleOf(person.name(), person.groups())
            .orElseThrow(() -> new Refused(403, LoginRoutes.notLetIn(person.name())));
    log.info("{} has logged in as {}", person.name(), role);
    LoginCookies cookies = access.cookies();
    Entrance.enter(
        context,
        access,
        LoginCookies.login(person.name(), role),
        () -> cookies.issue(person.name(), role, access.others()),
        next);
  }

  private static void forget(Context context, String cookie) {
    context.cookie(Entrance.cookie(context, cookie, "", START, 0));
  }

  /** Shows people what went wrong beside the ways to log in. */
  private void orSayWhy(Context context, String next, Runnable step) {
    try {
      inPlace(step);
    } catch (Refused e) {
      log.warn("a login with {} was refused: {}", client.issuer(), e.getMessage());
      context.status(e.status()).html(pages.login(LoginRoutes.form(access, e.getMessage(), next)));
    }
  }

  private void inPlace(Runnable step) {
    if (!places.tryAcquire()) {
      throw new Refused(503, "too many people log in just now; try again in some seconds");
    }
    try {
      step.run();
    } finally {
      places.release();
    }
  }
}
