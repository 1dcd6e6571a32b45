package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.postgres.TestSql;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.ApiClient.Answer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The server takes the database away from everybody, and gives it back. */
@WithDatabase
class WebOutageIT {
  private final TestDatabase testDatabase;

  WebOutageIT(TestDatabase testDatabase) {
    this.testDatabase = testDatabase;
  }

  private void allowConnections(boolean allowed) throws SQLException {
    String url = testDatabase.jdbcUrl();
    String name = url.replaceFirst(".*/([^/?]+)(\\?.*)?$", "$1");
    String other = url.replaceFirst("/[^/?]+(\\?.*)?$", "/postgres");
    try (Connection connection =
            DriverManager.getConnection(other, testDatabase.user(), testDatabase.password());
        Statement statement = connection.createStatement()) {
      statement.execute("ALTER DATABASE \"" + name + "\" ALLOW_CONNECTIONS " + allowed);
      if (!allowed) {
        statement.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"
                + name
                + "'");
      }
    }
  }

  private HikariDataSource pool(String first) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(new TicketDatabase(testDatabase).dataSource());
    config.setMaximumPoolSize(3);
    config.setConnectionTimeout(1_000);
    config.setConnectionInitSql(first);
    return new HikariDataSource(config);
  }

  @Test
  @DisplayName("while the database is gone it is 503 with Retry-After, and then all is well again")
  void gone() throws SQLException {
    try (HikariDataSource pool = pool("SELECT 1");
        WebServer server = WebFixture.server(pool);
        ApiClient ann = new ApiClient(server.port(), WebFixture.ANN)) {
      assertThat(ann.get("/api/v1/queues").status()).isEqualTo(200);
      allowConnections(false);
      try {
        for (Answer answer :
            new Answer[] {
              ann.get("/api/v1/tickets"),
              ann.post("/api/v1/tickets", "{\"kind\": \"x\"}"),
              ann.post("/api/v1/tickets/1/release", "{}")
            }) {
          assertThat(answer.status()).as(answer.toString()).isEqualTo(503);
          assertThat(answer.header("Retry-After")).isPresent();
          assertThat(answer.detail()).doesNotContain("HOLDFAST_", "jdbc", "FATAL");
        }
        assertThat(ann.get("/openapi.json").status()).isEqualTo(200);
      } finally {
        allowConnections(true);
      }
      await().atMost(Duration.ofSeconds(60)).until(() -> ann.get("/api/v1/queues").status() == 200);
      assertThat(ann.post("/api/v1/tickets", "{\"kind\": \"x\"}").status()).isEqualTo(201);
    }
  }

  @Test
  @DisplayName("a missing right is a 500 that names it and the next step, for no retry mends it")
  void missingRight() {
    try (HikariDataSource pool = pool("SET ROLE holdfast_viewer");
        WebServer server = WebFixture.server(pool);
        ApiClient ann = new ApiClient(server.port(), WebFixture.ANN)) {
      assertThat(ann.get("/api/v1/tickets").status()).isEqualTo(200);
      Answer refused = ann.post("/api/v1/tickets", "{\"kind\": \"x\"}");
      assertThat(refused.status()).as(refused.toString()).isEqualTo(500);
      assertThat(refused.header("Retry-After")).isEmpty();
      assertThat(refused.detail()).contains("permission denied for", "GRANT", "holdfast_operator");
    }
  }

  @Test
  @DisplayName("a missing schema is a 500 that names the next step")
  void missingSchema() {
    TestSql sql = new TestSql(testDatabase.dataSource());
    try (HikariDataSource pool = pool("SELECT 1");
        WebServer server = WebFixture.server(pool);
        ApiClient ann = new ApiClient(server.port(), WebFixture.ANN)) {
      sql.run("ALTER SCHEMA holdfast RENAME TO elsewhere");
      Answer refused = ann.get("/api/v1/tickets");
      assertThat(refused.status()).as(refused.toString()).isEqualTo(500);
      assertThat(refused.detail()).contains("run: holdfast migrate");
    } finally {
      sql.run("ALTER SCHEMA elsewhere RENAME TO holdfast");
    }
  }

  @Test
  @DisplayName("a full disk is a 503, for it is mended in a while")
  void fullDisk() {
    Answer full = enqueued("RAISE 'no space left' USING ERRCODE = '53100'", "SELECT 1");
    assertThat(full.status()).as(full.toString()).isEqualTo(503);
    assertThat(full.header("Retry-After")).isPresent();
  }

  @Test
  @DisplayName("what the statement timeout ends was not done, and the words say how it can be")
  void tooSlow() {
    Answer ended = enqueued("PERFORM pg_sleep(600)", "SET statement_timeout = '20ms'");
    assertThat(ended.status()).as(ended.toString()).isEqualTo(503);
    assertThat(ended.detail()).contains("nothing was done", "in a shell");
  }

  /** What a ticket is answered with while this statement runs before each. */
  private Answer enqueued(String before, String first) {
    TestSql sql = new TestSql(testDatabase.dataSource());
    sql.run(
        "CREATE FUNCTION before_each() RETURNS trigger LANGUAGE plpgsql AS"
            + " $$BEGIN %s; END$$".formatted(before));
    sql.run(
        "CREATE TRIGGER before_each BEFORE INSERT ON holdfast.ticket_base EXECUTE FUNCTION"
            + " before_each()");
    try (HikariDataSource pool = pool(first);
        WebServer server = WebFixture.server(pool);
        ApiClient ann = new ApiClient(server.port(), WebFixture.ANN)) {
      return ann.post("/api/v1/tickets", "{\"kind\": \"x\"}");
    } finally {
      sql.run("DROP FUNCTION before_each CASCADE");
    }
  }
}
