package dev.holdfast.postgres.inbox;

import dev.holdfast.postgres.RecordMapper;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.DesignStore;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.InvalidInputException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reads and writes the table {@code holdfast.designs}. Thread-safe. */
public final class PostgresDesignStore implements DesignStore {
  private static final String DEFAULT_SCHEMA = "holdfast";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}");

  /** The most bytes of all definitions in a list. */
  private static final int MOST_LISTED_BYTES = 4 << 20;

  private final Transactions transactions;
  private final Sql sql;
  private final String putDesign;

  public PostgresDesignStore(DataSource dataSource) {
    this(dataSource, DEFAULT_SCHEMA);
  }

  public PostgresDesignStore(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    this.sql = new Sql(schema);
    this.putDesign = sql.load("put_design");
  }

  /**
   * {@inheritDoc}
   *
   * @throws InvalidInputException if the name is not plain or the definition no JSON object
   */
  @Override
  public Design put(String name, String kind, String definition, String actor) {
    requireName("design", name);
    requireName("kind", kind);
    Optional<Design> stored = Optional.empty();
    // The result is empty if another new version was stored at the same moment.
    while (stored.isEmpty()) {
      stored = putOnce(name, kind, definition, actor);
    }
    return stored.get();
  }

  private Optional<Design> putOnce(String name, String kind, String definition, String actor) {
    return transactions.runStatement(
        handle ->
            handle
                .createQuery(putDesign)
                .bind("name", name)
                .bind("kind", kind)
                .bind("definition", definition)
                .bind("actor", actor)
                .map(RecordMapper.of(Design.class))
                .findOne());
  }

  private static void requireName(String what, String name) {
    if (!NAME.matcher(name).matches()) {
      throw new InvalidInputException(
          "a "
              + what
              + " is named with 1 to 100 letters, digits and . _ : / -, the first a letter or"
              + " digit");
    }
  }

  @Override
  public List<Design> list() {
    return latest(null);
  }

  @Override
  public Optional<Design> find(String name) {
    return latest(name).stream().findFirst();
  }

  private List<Design> latest(@Nullable String name) {
    String query =
        """
        SELECT id, name, version, kind,
          CASE WHEN name = :name::text OR sum(holdfast.measured_bytes(definition)) OVER (ORDER BY name) <= :most THEN definition
            ELSE '{"left_out": "the list would be too long; ask for this design alone"}' END AS definition
        FROM (
          SELECT DISTINCT ON (name) id, name, version, kind, definition
          FROM holdfast.designs
          WHERE :name::text IS NULL OR name = :name::text
          ORDER BY name, version DESC) latest
        ORDER BY name
        """;
    return transactions.runStatement(
        handle ->
            handle
                .createQuery(sql.inSchema(query))
                .bind("name", name)
                .bind("most", MOST_LISTED_BYTES)
                .map(RecordMapper.of(Design.class))
                .list());
  }
}
