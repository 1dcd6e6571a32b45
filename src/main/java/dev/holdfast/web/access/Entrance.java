package dev.holdfast.web.access;

import io.javalin.http.Context;
import io.javalin.http.Cookie;
import io.javalin.http.HttpStatus;
import io.javalin.http.SameSite;
import org.jspecify.annotations.Nullable;

/** Lets a browser in: with a cookie, and to a page of this server. */
public final class Entrance {
  private Entrance() {}

  /**
   * @param cookie of {@link LoginCookies}
   */
  public static void enter(Context context, String cookie, String next) {
    int seconds = (int) LoginCookies.LIFETIME.toSeconds();
    context.cookie(cookie(context, LoginCookies.NAME, cookie, "/", seconds));
    context.redirect(localPath(next), HttpStatus.SEE_OTHER);
  }

  /** A path of this server, whatever was asked for. */
  public static String localPath(@Nullable String wanted) {
    if (wanted == null) {
      return "/";
    }
    boolean local =
        wanted.startsWith("/")
            && !wanted.startsWith("//")
            && wanted.chars().allMatch(each -> each > ' ' && each < 127 && each != '\\');
    return local ? wanted : "/";
  }

  /** A cookie that no script reads; over TLS alone where the request came so. */
  public static Cookie cookie(
      Context context, String name, String value, String path, int seconds) {
    boolean encrypted =
        context.scheme().equals("https")
            || "https".equalsIgnoreCase(context.header("X-Forwarded-Proto"));
    return new Cookie(name, value, path, seconds, encrypted, true, null, SameSite.LAX);
  }
}
