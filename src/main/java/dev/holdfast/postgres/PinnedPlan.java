package dev.holdfast.postgres;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.jdbi.v3.core.statement.SqlStatement;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.core.statement.StatementCustomizer;

/**
 * Makes a statement use its indexes, and keeps it from waiting long for a lock.
 *
 * <p>A server-side prepared statement keeps the plan that was made for its first executions. A plan
 * that was made while the tables were empty, as on the day a worker is installed, scans them whole.
 * It goes on doing so when a hundred thousand tickets have come, until some ANALYZE. So the
 * settings go ahead of the statement, in the same round trip, for this transaction only.
 *
 * <p>A scan that is switched off but used because there is no index counts as so costly that
 * PostgreSQL would compile its plan to machine code first: 30 ms for a look at a table of one row,
 * in every statement of the transaction. So that is switched off with it.
 */
public final class PinnedPlan implements StatementCustomizer {
  private static final String SETTINGS =
      "SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off',"
          + " true), set_config('jit', 'off', true), set_config('lock_timeout', '250ms', true);\n";

  private static final PinnedPlan INSTANCE = new PinnedPlan();

  private PinnedPlan() {}

  /** Returns the statement with the settings ahead of it; only for {@link #on}. */
  static String pin(String statement) {
    return SETTINGS + statement;
  }

  /**
   * Makes a statement of {@link #pin} answer with its own result, not with that of the settings.
   */
  public static <S extends SqlStatement<S>> S on(S statement) {
    return statement.addCustomizer(INSTANCE);
  }

  @Override
  public void afterExecution(PreparedStatement statement, StatementContext context)
      throws SQLException {
    statement.getMoreResults();
  }
}
