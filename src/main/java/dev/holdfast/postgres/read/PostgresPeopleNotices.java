package dev.holdfast.postgres.read;

import dev.holdfast.postgres.Json;
import dev.holdfast.postgres.RecordMapper;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.PeopleNotices;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads holds from the end of {@code ticket_activity}. Ids are given before a commit, so a lower
 * one may appear after a higher one: a highest id is settled once every transaction that ran then
 * is over. Thread-safe.
 */
public final class PostgresPeopleNotices implements PeopleNotices {
  private static final String LEAD =
      """
      INSERT INTO holdfast.webhook_cursors AS c (name, activity_id, held_by, held_until)
      VALUES (:name, (SELECT COALESCE(max(id), 0) FROM holdfast.ticket_activity), :process,
        now() + :millis * interval '1 millisecond')
      ON CONFLICT (name) DO UPDATE
      SET held_by = EXCLUDED.held_by, held_until = EXCLUDED.held_until, updated_at = now()
      WHERE c.held_by = EXCLUDED.held_by OR c.held_until IS NULL OR c.held_until < now()
        OR c.held_until > EXCLUDED.held_until + interval '1 hour'
      RETURNING c.activity_id
      """;
  private static final String LEAVE =
      "UPDATE holdfast.webhook_cursors SET held_until = NULL WHERE name = :name AND held_by ="
          + " :process";
  private static final String TOLD =
      """
      UPDATE holdfast.webhook_cursors
      SET activity_id = GREATEST(activity_id, :id), updated_at = now()
      WHERE name = :name AND held_by = :process
      """;
  private static final String HEAD =
      """
      SELECT COALESCE(max(id), 0) AS id,
        pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest,
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next
      FROM holdfast.ticket_activity
      """;

  private static final RowMapper<HoldNotice> HOLDS = RecordMapper.of(HoldNotice.class);

  private final Transactions transactions;
  private final Sql sql;
  private final String read;
  private @Nullable Head candidate;
  private long settled;

  /**
   * The newest row of the log.
   *
   * @param oldest the oldest transaction that still ran
   * @param next the first one that had not begun
   */
  public record Head(long id, long oldest, long next) {}

  public PostgresPeopleNotices(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    this.sql = new Sql(schema);
    this.read = sql.load("people_notices");
  }

  @Override
  public @Nullable Long lead(String receiver, String process, Duration time) {
    return transactions
        .runStatement(
            handle ->
                handle
                    .createQuery(sql.inSchema(LEAD))
                    .bind("name", receiver)
                    .bind("process", process)
                    .bind("millis", time.toMillis())
                    .mapTo(Long.class)
                    .findOne())
        .orElse(null);
  }

  @Override
  public void leave(String receiver, String process) {
    transactions.runStatement(
        handle ->
            handle
                .createUpdate(sql.inSchema(LEAVE))
                .bind("name", receiver)
                .bind("process", process)
                .execute());
  }

  @Override
  public Batch after(long id, int limit) {
    // The horizon is read first: what commits between the two statements is read and not yet
    // settled.
    long end = settledNow();
    List<Notice> notices =
        transactions.runStatement(
            handle ->
                handle
                    .createQuery(read)
                    .bind("after", id)
                    .bind("limit", limit)
                    .map(PostgresPeopleNotices::notice)
                    .list());
    return new Batch(notices, notices.size() < limit ? end : Math.min(end, notices.getLast().id()));
  }

  @Override
  public void noteReviews() {
    transactions.runStatement(
        handle ->
            handle
                .createQuery(sql.inSchema("SELECT holdfast.note_reviews()"))
                .mapTo(Long.class)
                .one());
  }

  @Override
  public void noteBudgets() {
    transactions.runStatement(
        handle ->
            handle
                .createQuery(sql.inSchema("SELECT holdfast.note_budgets()"))
                .mapTo(Long.class)
                .one());
  }

  @Override
  public void noteDigest(LocalTime time, ZoneId zone) {
    transactions.runStatement(
        handle ->
            handle
                .createQuery(sql.inSchema("SELECT holdfast.note_digest(:time, :zone)"))
                .bind("time", time)
                .bind("zone", zoneName(zone))
                .mapTo(Boolean.class)
                .one());
  }

  /**
   * Returns the name of a zone. PostgreSQL reads the sign of an offset as POSIX does: ahead of UTC
   * is minus.
   */
  private static String zoneName(ZoneId zone) {
    return zone.normalized() instanceof ZoneOffset offset
        ? offset.equals(ZoneOffset.UTC)
            ? "UTC"
            : ZoneOffset.ofTotalSeconds(-offset.getTotalSeconds()).getId()
        : zone.getId();
  }

  private static Notice summary(ResultSet row, String action) throws SQLException {
    JsonNode details = Json.parse(row.getString("details"));
    long id = row.getLong("id");
    Instant at = row.getTimestamp("at").toInstant();
    if (action.equals("results_to_review")) {
      List<Long> ids = new ArrayList<>();
      details.path("ticketIds").forEach(each -> ids.add(each.asLong()));
      String design = details.path("design").asString();
      return new ReviewNotice(
          id, at, design.isEmpty() ? null : design, details.path("count").asLong(), ids);
    }
    if (action.startsWith("budget")) {
      return new BudgetNotice(
          id,
          at,
          details.path("scope").asString(),
          details.path("per").asString(),
          action.equals("budget_used_up"),
          details.path("limitUsd").decimalValue(),
          details.path("spentUsd").decimalValue());
    }
    return new DigestNotice(
        id,
        at,
        details.path("onHold").asLong(),
        details.path("inReview").asLong(),
        details.path("ready").asLong(),
        details.path("succeeded").asLong(),
        details.path("failed").asLong(),
        details.path("costUsd").isNumber() ? details.path("costUsd").decimalValue() : null);
  }

  private static Notice notice(ResultSet row, StatementContext context) throws SQLException {
    String summed = row.getString("summed");
    if (summed != null) {
      return summary(row, summed);
    }
    return row.getString("provider") == null
        ? HOLDS.map(row, context)
        : new OutageNotice(
            row.getLong("id"),
            row.getTimestamp("at").toInstant(),
            row.getString("provider"),
            row.getBoolean("over"),
            row.getString("since"),
            row.getString("reason"),
            row.getString("detail"),
            row.getString("words"));
  }

  private synchronized long settledNow() {
    Head now =
        transactions.runStatement(
            handle ->
                handle.createQuery(sql.inSchema(HEAD)).map(RecordMapper.of(Head.class)).one());
    Head before = candidate;
    if (before != null && now.oldest >= before.next) {
      settled = Math.max(settled, before.id);
      candidate = null;
    }
    if (candidate == null) {
      candidate = now;
    }
    return settled;
  }

  @Override
  public void told(String receiver, String process, long id) {
    transactions.runStatement(
        handle ->
            handle
                .createUpdate(sql.inSchema(TOLD))
                .bind("name", receiver)
                .bind("process", process)
                .bind("id", id)
                .execute());
  }
}
