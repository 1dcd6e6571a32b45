package dev.holdfast.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the autoscaler asks the database. */
@WithDatabase
@EverySetup
class ScalingIT {
  @Test
  @DisplayName(
      "issue 22, 12: a viewer may ask KEDA's question; ready tickets count, those of a paused queue"
          + " and of later do not")
  void depth(TestDatabase database) throws Exception {
    String query =
        Kubernetes.PRODUCTION
            .resource("ScaledObject", "holdfast-worker")
            .at("/spec/triggers/0/metadata/query")
            .asString();
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      assertThat(asViewer(statement, query)).isZero();
      statement.execute(
          """
          INSERT INTO holdfast.tickets (queue, kind, title)
          SELECT q, 'command', 'a ticket' FROM unnest(ARRAY['open', 'open', 'open', 'shut']) q;
          INSERT INTO holdfast.tickets (queue, kind, title, retry_after)
          VALUES ('open', 'command', 'a later one', now() + interval '1 hour');
          SELECT holdfast.pause_queue('shut', 'a person')
          """);
      assertThat(asViewer(statement, query)).isEqualTo(3);
      statement.execute("SELECT holdfast.resume_queue('shut', 'a person')");
      assertThat(asViewer(statement, query)).isEqualTo(4);
    }
  }

  private static long asViewer(Statement statement, String query) throws Exception {
    statement.execute("SET ROLE holdfast_viewer");
    try (ResultSet rows = statement.executeQuery(query)) {
      assertThat(rows.next()).isTrue();
      return rows.getLong(1);
    } finally {
      statement.execute("RESET ROLE");
    }
  }
}
