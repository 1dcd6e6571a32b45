package dev.holdfast.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/** The schema of a database as one text: the same on every server that has the same schema. */
final class SchemaText {
  /** Where the repository keeps it. */
  static final Path FILE = Path.of("db/schema.sql");

  static final String REWRITE =
      "mvn verify -Dtest=SchemaIT -Dsurefire.failIfNoSpecifiedTests=false" + " -Dschema.write=true";

  private static final Path MIGRATIONS = Path.of("db/migrations");
  private static final String HEAD =
      "-- The schema that db/migrations make, in one file to be read. SchemaIT keeps it equal; this"
          + " writes it anew:\n-- "
          + REWRITE
          + "\n-- Views are as their migration has them, without their schema.\n\n";

  private SchemaText() {}

  /** The text of the schema {@code holdfast}. */
  static String of(DataSource dataSource) throws SQLException, IOException {
    StringBuilder text = new StringBuilder(HEAD);
    try (Connection connection = dataSource.getConnection()) {
      TestSql.column(connection, "SET search_path = pg_catalog");
      for (String part : parts(connection)) {
        text.append(part.startsWith("\n@") ? view(part.substring(2)) : part).append('\n');
      }
    }
    return text.toString();
  }

  private static List<String> parts(Connection connection) throws SQLException, IOException {
    try (InputStream in = SchemaText.class.getResourceAsStream("schema_text.sql")) {
      return TestSql.column(connection, new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /** A view's definition is in one repeatable migration, and nowhere else. */
  private static String view(String name) throws IOException {
    Pattern definition = Pattern.compile("CREATE OR REPLACE VIEW " + name + " AS\n[^;]*;");
    StringBuilder found = new StringBuilder();
    for (String file : MigrationFiles.REPEATABLE) {
      Matcher matcher = definition.matcher(Files.readString(MIGRATIONS.resolve(file)));
      while (matcher.find()) {
        found.append('\n').append(matcher.group());
      }
    }
    if (found.isEmpty()) {
      throw new AssertionError("no repeatable migration makes the view " + name);
    }
    return found.toString();
  }
}
