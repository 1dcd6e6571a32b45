package dev.holdfast.config;

/** The table of keys as a page for people. */
public final class ConfigurationPage {
  private static final String INTRODUCTION =
      """
      A flag beats the environment, which beats `holdfast.yaml`, which beats the default. `holdfast.yaml` is read from the current
      directory; `--config FILE` or `HOLDFAST_CONFIG` names another one. A key `a.b-c` of the file is `HOLDFAST_A_B_C` in the
      environment, where a list is written with commas and an empty value counts as not given. Durations are a whole number and a
      unit: `500ms`, `30s`, `5m`, `2h`, `7d`.

      An unknown key or a bad value stops the start with one line that names it. Values of secret keys, and passwords inside URLs,
      are never printed, logged or stored.

      A secret, and an address that may have a password in it, can also be in a file of its own: with `-file` after the key, or `_FILE` after
      the variable (`HOLDFAST_DATABASE_PASSWORD_FILE`, `OPENAI_API_KEY_FILE`), the value is the file's name. The end of its last line does not count; of a
      list each line is an entry. All are read once, at the start, but for the database's password: each new connection takes what its file has then, so
      it may be rotated under a running worker. Where systemd gives credentials (`CREDENTIALS_DIRECTORY`), a file there that is named like a key of a secret, with or
      without `holdfast_` or `holdfast.` before it, is its value; it beats `holdfast.yaml`. [Security](security.md) says which way protects from what.
      """;

  private ConfigurationPage() {}

  /** Returns {@code docs/configuration.md}. */
  public static String markdown() {
    StringBuilder page = new StringBuilder("# Configuration\n\n");
    page.append("<!-- Made by `holdfast help config --markdown`; a test compares. -->\n\n")
        .append(INTRODUCTION);
    String section = "";
    for (Key<?> key : Keys.ALL) {
      String first = key.name().substring(0, key.name().indexOf('.'));
      if (!first.equals(section)) {
        section = first;
        page.append("\n## ")
            .append(section)
            .append("\n\n| key | default | allowed | what it does |\n|---|---|---|---|\n");
      }
      page.append(row(key));
    }
    return page.append(OTHERS).toString();
  }

  private static String row(Key<?> key) {
    String secret = key.secret() ? " Secret." : "";
    return "| `%s`<br>`%s` | %s | %s | %s%s |\n"
        .formatted(
            key.name(),
            key.environmentName(),
            key.defaultText().isEmpty() ? "none" : "`" + key.defaultText() + "`",
            allowed(key),
            key.description(),
            secret);
  }

  private static String allowed(Key<?> key) {
    boolean counted = key.type() instanceof KeyType.Whole && !key.type().unit().isEmpty();
    return key.type().label()
        + ": "
        + key.type().allowed()
        + (counted ? " " + key.type().unit() : "");
  }

  private static final String OTHERS =
      """

      ## Other variables

      | variable | what it does |
      |---|---|
      | `OPENAI_API_KEY`, `ANTHROPIC_API_KEY` | The keys of the providers `openai` and `anthropic`, where the configuration has none. |
      | `OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_…` | Where [traces](deployment.md#opentelemetry) go, and how, as OpenTelemetry has them. |
      | `TRACEPARENT` | The trace that what a command enqueues belongs to. |
      | `HOLDFAST_CONFIG` | The configuration file. |
      | `HOLDFAST_JAVA_OPTS` | Further options for the JVM, read by `./holdfast`. |
      | `HOLDFAST_LOG_LEVEL` | `off`, `error`, `warn`, `info`, `debug` or `trace`; default `info` for `worker` and `demo`, `debug` with `--verbose`, else `warn`. |
      """;

  /** Returns the table for a terminal. */
  public static String text() {
    StringBuilder page = new StringBuilder(INTRODUCTION.replace("`", ""));
    for (Key<?> key : Keys.ALL) {
      page.append("\n%s  (%s)\n".formatted(key.name(), key.environmentName()));
      page.append(
          "    %s; default %s%s\n"
              .formatted(
                  allowed(key),
                  key.defaultText().isEmpty() ? "none" : key.defaultText(),
                  key.secret() ? "; secret" : ""));
      page.append("    ").append(key.description()).append('\n');
    }
    return page.toString();
  }
}
