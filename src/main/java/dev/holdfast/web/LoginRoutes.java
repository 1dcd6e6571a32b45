package dev.holdfast.web;

import io.javalin.http.Context;
import io.javalin.http.Cookie;
import io.javalin.http.HttpStatus;
import io.javalin.http.SameSite;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code GET /login}, {@code POST /login} and {@code POST /logout}. */
final class LoginRoutes implements Routes {
  private static final int LONGEST_NAME = 100;

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
    routes.post("/logout", LoginRoutes::logOut, Role.VIEWER);
  }

  /** Where a browser is sent that may not see a page yet. */
  static String addressFor(Context context) {
    String query = context.queryString();
    String wanted = context.path() + (query == null ? "" : "?" + query);
    return "/login?next=" + URLEncoder.encode(wanted, StandardCharsets.UTF_8);
  }

  private void show(Context context) {
    String next = localPath(context.queryParam("next"));
    if (access.needsToken()) {
      context.html(pages.login(null, next));
    } else {
      context.redirect(next);
    }
  }

  private void logIn(Context context) {
    Gate.requireSameSite(context);
    String next = localPath(context.formParam("next"));
    String secret = context.formParam("token");
    Optional<AccessToken> token =
        secret == null || gate.hasFailedTooOften(context)
            ? Optional.empty()
            : access.bearing(secret.strip());
    if (token.isEmpty()) {
      Refused refused = gate.refuseToken(context);
      context
          .status(refused.status())
          .html(pages.login(String.valueOf(refused.getMessage()), next));
      return;
    }
    context.cookie(
        cookie(
            context,
            access.cookies().issue(token.get(), name(context)),
            (int) LoginCookies.LIFETIME.toSeconds()));
    context.redirect(next, HttpStatus.SEE_OTHER);
  }

  private static void logOut(Context context) {
    context.cookie(cookie(context, "", 0));
    context.redirect("/login", HttpStatus.SEE_OTHER);
  }

  private static @Nullable String name(Context context) {
    String name = context.formParam("name");
    if (name == null || name.isBlank()) {
      return null;
    }
    String stripped = name.strip();
    return stripped.substring(0, Math.min(LONGEST_NAME, stripped.length()));
  }

  /** A path of this server, whatever was asked for. */
  private static String localPath(@Nullable String wanted) {
    if (wanted == null) {
      return "/";
    }
    boolean local =
        wanted.startsWith("/")
            && !wanted.startsWith("//")
            && wanted.chars().allMatch(each -> each > ' ' && each < 127 && each != '\\');
    return local ? wanted : "/";
  }

  private static Cookie cookie(Context context, String value, int seconds) {
    boolean encrypted =
        context.scheme().equals("https")
            || "https".equalsIgnoreCase(context.header("X-Forwarded-Proto"));
    return new Cookie(LoginCookies.NAME, value, "/", seconds, encrypted, true, null, SameSite.LAX);
  }
}
