package dev.holdfast.web.access;

import io.javalin.http.Context;
import io.javalin.http.Cookie;
import io.javalin.http.HttpStatus;
import io.javalin.http.SameSite;
import java.net.URI;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Lets a browser in: with a cookie, and to a page of this server. */
public final class Entrance {
  private static final String ENCRYPTED = Entrance.class.getName();

  private Entrance() {}

  /**
   * Lets the browser in.
   *
   * @param cookie the cookie of this login, for those who have not logged in so already. A new one
   *     would make pages too old that are open in the same browser.
   */
  public static void enter(
      Context context, Access access, Login login, Supplier<String> cookie, String next) {
    LoginCookies cookies = access.cookies();
    String sent = cookies.among(context.cookieMap());
    boolean isIn = sent != null && cookies.read(sent, access).filter(login::equals).isPresent();
    if (!isIn) {
      int seconds = (int) LoginCookies.LIFETIME.toSeconds();
      context.cookie(cookie(context, cookies.name(), cookie.get(), "/", seconds));
    }
    context.redirect(localPath(next), HttpStatus.SEE_OTHER);
  }

  /** Returns a path of this server, whatever was asked for. */
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

  /** Returns the page that a browser sends a form from, as a path of this server. */
  public static String sentFrom(Context context) {
    String referer = context.header("Referer");
    try {
      URI page = URI.create(referer == null ? "/" : referer);
      String path = page.getRawPath();
      return path == null ? "/" : localPath(withQuery(path, page.getRawQuery()));
    } catch (IllegalArgumentException e) {
      return "/";
    }
  }

  /** Returns a path with its query, where there is one. */
  public static String withQuery(String path, @Nullable String query) {
    return query == null ? path : path + "?" + query;
  }

  /**
   * Finds out whether a request came over TLS, before anybody makes a cookie.
   *
   * @param console where people reach it; empty where that is not configured
   */
  public static void open(Context context, Optional<Origin> console) {
    boolean encrypted =
        context.scheme().equals("https")
            || proxySaysSo(context)
            || console.filter(each -> isAt(each, context)).isPresent();
    context.attribute(ENCRYPTED, encrypted);
  }

  /**
   * Returns true if the header says so. Each proxy on the way may add its own protocol; the first
   * is the one that the browser used.
   */
  private static boolean proxySaysSo(Context context) {
    String protocols = context.header("X-Forwarded-Proto");
    return protocols != null && protocols.split(",", 2)[0].strip().equalsIgnoreCase("https");
  }

  /**
   * Returns true for the console's own address. By another address, such as this machine's own, the
   * same console may be reached without TLS.
   */
  private static boolean isAt(Origin console, Context context) {
    return console.scheme().equals("https") && console.isOf(context.header("Host"));
  }

  /** Makes a cookie that no script reads; it goes only over TLS where the request came so. */
  public static Cookie cookie(
      Context context, String name, String value, String path, int seconds) {
    boolean encrypted = Boolean.TRUE.equals(context.attribute(ENCRYPTED));
    return new Cookie(name, value, path, seconds, encrypted, true, null, SameSite.LAX);
  }
}
