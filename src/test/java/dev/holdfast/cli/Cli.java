package dev.holdfast.cli;

import dev.holdfast.app.Main;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.testing.TestDatabase;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Runs command lines in this process, as {@code main} does, with captured streams. */
public record Cli(Map<String, String> environment, Path directory) {
  /** What a command printed and how it ended. */
  public record Result(int code, String out, String err) {
    public JsonNode json() {
      return new JsonMapper().readTree(out);
    }

    public List<String> lines() {
      return out.lines().toList();
    }
  }

  /** On a test's database, in a directory without configuration. */
  public static Cli on(TestDatabase database) {
    return new Cli(
        Map.of(
            "HOLDFAST_DATABASE_URL", database.jdbcUrl(),
            "HOLDFAST_DATABASE_USER", database.user(),
            "HOLDFAST_DATABASE_PASSWORD", database.password()),
        Path.of("no-such-directory"));
  }

  /** Where no database is configured and none runs. */
  public static Cli withoutDatabase() {
    return new Cli(Map.of(), Path.of("no-such-directory"));
  }

  public Result run(String... arguments) {
    return runWithInput("", arguments);
  }

  public Result runWithInput(String input, String... arguments) {
    return run(InstantSource.system(), input, arguments);
  }

  /** With a clock of the test's. */
  public Result run(InstantSource clock, String input, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    Terminal terminal =
        new Terminal(
            new PrintWriter(out),
            new PrintWriter(err),
            new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
            clock);
    int code = Main.run(terminal, environment, directory, arguments);
    return new Result(code, out.toString(), err.toString());
  }

  /** The first column of the first row, as text. */
  public static String query(TestDatabase database, String sql) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return String.valueOf(row.getString(1));
    }
  }

  /** A held ticket with an error, as failures leave them; returns its id. */
  public static long held(TestDatabase database, String category, String fingerprint)
      throws SQLException {
    return Long.parseLong(
        query(
            database,
            """
            INSERT INTO holdfast.tickets (kind, state, error, error_category, error_fingerprint, hold_reason, retry_count)
            VALUES ('command', 'on_hold', 'boom', '%s', '%s', 'Max retries exceeded: %s', 2) RETURNING id
            """
                .formatted(category, fingerprint, category)));
  }
}
