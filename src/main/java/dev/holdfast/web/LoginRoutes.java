package dev.holdfast.web;

import dev.holdfast.web.access.Access;
import dev.holdfast.web.access.AccessToken;
import dev.holdfast.web.access.Entrance;
import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpStatus;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code GET /login}, {@code POST /login} and {@code POST /logout}. */
public final class LoginRoutes implements Routes {
  /** The longest form, in bytes: it holds a token and a page of this server. */
  private static final int LONGEST_FORM = 4096;

  private final Access access;
  private final Gate gate;
  private final Pages pages;

  LoginRoutes(Access access, Gate gate, Pages pages) {
    this.access = access;
    this.gate = gate;
    this.pages = pages;
  }

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.get("/login", this::show, Role.ANYONE);
    routes.post("/login", this::logIn, Role.ANYONE);
    routes.post("/logout", this::logOut, Role.VIEWER);
  }

  /** Returns the form for those who may come in here. */
  public static Pages.LoginForm form(Access access, @Nullable String problem, String next) {
    return new Pages.LoginForm(
        problem, next, !access.tokens().isEmpty(), access.others().provider());
  }

  /** Returns the message to somebody whom others know, but who has no role here. */
  public static String notLetIn(String name) {
    return name + " may not come in: neither web.auth.viewers nor web.auth.operators has them";
  }

  /**
   * Returns the address to which a browser is sent that may not see a page yet, or whose login was
   * over when it sent a form.
   */
  static String addressFor(Context context) {
    String wanted =
        context.method().equals(HandlerType.GET)
            ? Entrance.withQuery(context.path(), context.queryString())
            : Entrance.sentFrom(context);
    return "/login?next=" + URLEncoder.encode(wanted, StandardCharsets.UTF_8);
  }

  /**
   * Shows the page. Where no tokens are configured, a link with this start's token logs in at once.
   */
  private void show(Context context) {
    String next = Entrance.localPath(context.queryParam("next"));
    String secret = context.queryParam("token");
    if (secret == null || !access.isLocal()) {
      context.html(pages.login(form(access, null, next)));
    } else {
      enter(context, secret, next);
    }
  }

  private void logIn(Context context) {
    gate.requireSameSite(context);
    requireShort(context);
    enter(
        context,
        String.valueOf(context.formParam("token")),
        Entrance.localPath(context.formParam("next")));
  }

  /**
   * Refuses a long form: anybody may send it, and one that is long or has no end must not take
   * memory.
   */
  private static void requireShort(Context context) {
    int length = context.contentLength();
    if (length < 0 || length > LONGEST_FORM) {
      throw new Refused(413, "a login is a form of at most " + LONGEST_FORM + " bytes");
    }
  }

  private void enter(Context context, String secret, String next) {
    Optional<AccessToken> token = access.bearing(secret.strip());
    if (token.isEmpty()) {
      Refused refused = gate.refuseToken(context);
      context.status(refused.status()).html(pages.login(form(access, refused.getMessage(), next)));
      return;
    }
    Entrance.enter(
        context, access, token.get().login(), () -> access.cookies().issue(token.get()), next);
  }

  private void logOut(Context context) {
    context.cookie(Entrance.cookie(context, access.cookies().name(), "", "/", 0));
    context.redirect("/login", HttpStatus.SEE_OTHER);
  }
}
