package dev.holdfast.postgres;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jdbi.v3.core.config.JdbiConfig;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;
import org.jdbi.v3.core.statement.StatementContext;

/**
 * Maps rows to a record as {@link ConstructorMapper} does. That one inspects the record by
 * reflection again for each query, which takes longer than most queries; here the result is kept
 * for each list of columns. Thread-safe.
 */
public final class RecordMapper<T> implements RowMapper<T> {
  private record Columns(Class<?> type, List<String> names) {}

  /** The mappers that one {@code Jdbi} knows; its statements share them. */
  public static final class Known implements JdbiConfig<Known> {
    private final Map<Columns, RowMapper<?>> mappers = new ConcurrentHashMap<>();

    @Override
    public Known createCopy() {
      return this;
    }
  }

  private final Class<T> type;

  private RecordMapper(Class<T> type) {
    this.type = type;
  }

  /** Finds a column for each component of the record, whatever its case and underscores. */
  public static <T> RecordMapper<T> of(Class<T> type) {
    return new RecordMapper<>(type);
  }

  @Override
  public RowMapper<T> specialize(ResultSet rows, StatementContext context) throws SQLException {
    Columns columns = new Columns(type, names(rows.getMetaData()));
    Map<Columns, RowMapper<?>> known = context.getConfig(Known.class).mappers;
    RowMapper<?> there = known.get(columns);
    RowMapper<?> mapper =
        there == null ? ConstructorMapper.of(type).specialize(rows, context) : there;
    known.putIfAbsent(columns, mapper);
    return (row, of) -> type.cast(mapper.map(row, of));
  }

  private static List<String> names(ResultSetMetaData columns) throws SQLException {
    List<String> names = new ArrayList<>();
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      names.add(columns.getColumnLabel(i));
    }
    return names;
  }

  @Override
  public T map(ResultSet row, StatementContext context) throws SQLException {
    return specialize(row, context).map(row, context);
  }
}
