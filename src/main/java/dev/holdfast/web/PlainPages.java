package dev.holdfast.web;

import org.jspecify.annotations.Nullable;

/** The pages of a worker without a console. */
final class PlainPages implements Pages {
  @Override
  public String login(LoginForm form) {
    String problem = form.problem();
    String provider = form.provider();
    return page(
        "Log in",
        (problem == null ? "" : "<p>" + escape(problem) + "</p>")
            + (provider == null
                ? ""
                : "<p><a href=\"%s\">Log in with %s</a></p>"
                    .formatted(escape(form.providerPath()), escape(provider)))
            + (form.token() ? tokenForm(form.next()) : ""),
        0);
  }

  private static String tokenForm(String next) {
    return "<form method=\"post\" action=\"/login\">"
        + "<input type=\"hidden\" name=\"next\" value=\""
        + escape(next)
        + "\"><label>Token <input type=\"password\" name=\"token\" autofocus></label>"
        + " <button>Log in</button></form>";
  }

  @Override
  public String problem(Problem problem, @Nullable String back, int again) {
    return page(problem.title(), "<p>" + escape(problem.detail()) + "</p>", again);
  }

  private static String page(String title, String body, int again) {
    String refresh = again == 0 ? "" : "<meta http-equiv=\"refresh\" content=\"" + again + "\">";
    return ("<!doctype html><html lang=\"en\"><meta"
            + " charset=\"utf-8\">%s<title>%s</title><h1>%s</h1>%s</html>")
        .formatted(refresh, escape(title), escape(title), body);
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }
}
