package dev.holdfast.web;

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
            + (form.token() ? tokenForm(form.next()) : ""));
  }

  private static String tokenForm(String next) {
    return "<form method=\"post\" action=\"/login\">"
        + "<input type=\"hidden\" name=\"next\" value=\""
        + escape(next)
        + "\"><label>Token <input type=\"password\" name=\"token\" autofocus></label>"
        + " <button>Log in</button></form>";
  }

  @Override
  public String problem(Problem problem) {
    return page(problem.title(), "<p>" + escape(problem.detail()) + "</p>");
  }

  private static String page(String title, String body) {
    return ("<!doctype html><html lang=\"en\"><meta"
            + " charset=\"utf-8\"><title>%s</title><h1>%s</h1>%s</html>")
        .formatted(escape(title), escape(title), body);
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }
}
