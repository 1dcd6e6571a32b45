package dev.holdfast.postgres.engine;

import dev.holdfast.postgres.Json;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.postgres.inbox.PostgresDesignStore;
import dev.holdfast.queue.DesignStore;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.TicketState;
import dev.holdfast.workflow.StepTicket;
import dev.holdfast.workflow.WorkflowJson;
import dev.holdfast.workflow.WorkflowSteps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/** Reads steps with the function workflow_tickets. Thread-safe. */
public final class PostgresWorkflowSteps implements WorkflowSteps {
  private final Transactions transactions;
  private final DesignStore designs;
  private final String read;

  public PostgresWorkflowSteps(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    this.designs = new PostgresDesignStore(dataSource, schema);
    this.read =
        new Sql(schema).inSchema("SELECT * FROM holdfast.workflow_tickets(:id, :uses::jsonb)");
  }

  @Override
  public List<StepTicket> tickets(long workflowId, Map<String, Set<String>> uses) {
    return transactions.runStatement(
        handle ->
            handle
                .createQuery(read)
                .bind("id", workflowId)
                .bind("uses", Json.write(uses))
                .map((row, context) -> ticket(row))
                .list());
  }

  private static StepTicket ticket(ResultSet row) throws SQLException {
    String result = row.getString("result");
    return new StepTicket(
        row.getString("step"),
        row.getObject("item", Integer.class),
        row.getLong("id"),
        TicketState.ofWireName(row.getString("state")).orElseThrow(),
        result == null ? null : WorkflowJson.parse(result),
        row.getBoolean("accepted"),
        row.getLong("left_out"));
  }

  @Override
  public Optional<Design> design(String name) {
    return designs.find(name);
  }
}
