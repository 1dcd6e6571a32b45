package dev.holdfast.chaos;

import dev.holdfast.testing.TicketDatabase;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What became of every ticket. Triggers of the harness's own write down each claim, each end of a
 * lease and each change of a ticket, in the transaction that made it; the jobs wrote down outside
 * the database what ran; the harness knows which tickets were acknowledged and what it broke. The
 * ledger puts these beside what Holdfast itself says.
 */
final class Ledger {
  /** Why a worker that lives stops a job and gives it back. */
  static final String LATE = "renewal late";

  /** It was too late for that. */
  static final String EXPIRED = "lease expired";

  private static final String TABLES =
      """
      CREATE SCHEMA chaos;
      CREATE TABLE chaos.claims (lease_no bigint, ticket_id bigint, worker_id text, at timestamptz);
      CREATE TABLE chaos.lease_ends (lease_no bigint, expires_at timestamptz, at timestamptz);
      CREATE TABLE chaos.changes (
        ticket_id bigint, fence bigint, old_state text, new_state text, result jsonb, at timestamptz);
      CREATE TABLE chaos.acknowledged (ticket_id bigint);
      CREATE TABLE chaos.lines (word text, ticket_id bigint, lease_no bigint);
      CREATE VIEW chaos.executions AS
        SELECT ticket_id, lease_no, count(*) FILTER (WHERE word = 'start') AS started,
          count(*) FILTER (WHERE word = 'end') AS ended
        FROM chaos.lines GROUP BY 1, 2;
      CREATE TABLE chaos.renewals (lease_no bigint, gap interval, at timestamptz);
      CREATE TABLE chaos.stopped (ticket_id bigint, lease_no bigint);
      CREATE TABLE chaos.faults (what text, worker_id text, began timestamptz, ended timestamptz);
      CREATE FUNCTION chaos.note_lease() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'INSERT' THEN
          INSERT INTO chaos.claims
          SELECT NEW.id, u.id, NEW.worker_id, clock_timestamp() FROM unnest(NEW.ids) AS u (id);
        ELSIF TG_OP = 'UPDATE' THEN
          INSERT INTO chaos.renewals
          SELECT NEW.id, NEW.renewed_at - COALESCE(OLD.renewed_at, OLD.claimed_at), clock_timestamp();
        ELSE
          INSERT INTO chaos.renewals
          SELECT OLD.id, clock_timestamp() - COALESCE(OLD.renewed_at, OLD.claimed_at), clock_timestamp();
          INSERT INTO chaos.lease_ends VALUES (OLD.id, OLD.expires_at, clock_timestamp());
        END IF;
        RETURN NULL;
      END $$;
      CREATE FUNCTION chaos.note_change() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO chaos.changes
        VALUES (NEW.id, NEW.fence, OLD.state, NEW.state, NEW.result, clock_timestamp());
        RETURN NULL;
      END $$;
      CREATE TRIGGER chaos_note AFTER INSERT OR DELETE OR UPDATE OF renewed_at ON holdfast.leases
        FOR EACH ROW EXECUTE FUNCTION chaos.note_lease();
      CREATE TRIGGER chaos_note AFTER UPDATE ON holdfast.ticket_base
        FOR EACH ROW WHEN ((OLD.state, OLD.fence, OLD.result) IS DISTINCT FROM (NEW.state, NEW.fence, NEW.result))
        EXECUTE FUNCTION chaos.note_change();
      """;

  private static final Pattern STOPPED =
      Pattern.compile(
          "stopping ticket (\\d+) \\(lease (\\d+)\\): its lease could not be renewed and is about");

  private static final String LOST =
      """
      SELECT a.ticket_id || ' ' || COALESCE(t.state, 'is not there')
      FROM chaos.acknowledged a LEFT JOIN holdfast.tickets t ON t.id = a.ticket_id
      WHERE t.state IS DISTINCT FROM 'done'
      """;

  /** By the changes, by the attempts, or changed after its end. */
  private static final String TWICE =
      """
      SELECT ticket_id FROM chaos.changes WHERE new_state = 'done' GROUP BY 1 HAVING count(*) > 1
      UNION
      SELECT ticket_id FROM holdfast.ticket_attempts WHERE outcome = 'succeeded' GROUP BY 1 HAVING count(*) > 1
      UNION
      SELECT ticket_id FROM chaos.changes WHERE old_state = 'done'
      """;

  /**
   * Of a program: a result that is not that of the lease under which it was stored, or of no
   * execution at all.
   */
  private static final String FOREIGN =
      """
      SELECT c.ticket_id || ' under lease ' || c.fence || ': ' || COALESCE(c.result::text, 'nothing')
      FROM chaos.changes c
      JOIN holdfast.ticket_base b ON b.id = c.ticket_id AND b.kind NOT IN ('agent', 'repair')
      LEFT JOIN chaos.executions x ON x.ticket_id = c.ticket_id AND x.lease_no = c.fence
      WHERE c.new_state = 'done'
        AND ((c.result ->> 'lease')::bigint IS DISTINCT FROM c.fence OR x.ended IS DISTINCT FROM 1)
      """;

  /**
   * Every execution that did not end its ticket, with why it did not: what the harness did to its
   * worker, or to all of them, that its lease had run out, or that its worker stopped it in time
   * because it had not heard of a renewal for four fifths of the lease: the worker says so, and the
   * database knows of a renewal that was late by half of the interval at least. An execution that
   * ran twice under one lease, or of which Holdfast knows nothing, has no reason.
   */
  private static final String REASONS =
      """
      CREATE OR REPLACE VIEW chaos.reasons AS
      SELECT x.ticket_id, x.lease_no, c.worker_id, a.outcome,
        CASE
          WHEN x.started > 1 OR a.outcome IS NULL OR a.outcome NOT IN ('crashed', 'given_back', 'failed') THEN NULL
          WHEN own.what IS NOT NULL THEN own.what
          WHEN everybody.what IS NOT NULL THEN everybody.what
          WHEN a.outcome <> 'failed' AND e.expires_at < e.at THEN 'lease expired'
          WHEN a.outcome = 'given_back' AND late.said THEN 'renewal late'
        END AS reason
      FROM chaos.executions x
      LEFT JOIN holdfast.ticket_attempts a ON a.ticket_id = x.ticket_id AND a.lease_no = x.lease_no
      LEFT JOIN chaos.claims c ON c.ticket_id = x.ticket_id AND c.lease_no = x.lease_no
      LEFT JOIN chaos.lease_ends e ON e.lease_no = x.lease_no
      LEFT JOIN LATERAL (
        SELECT f.what FROM chaos.faults f
        WHERE f.worker_id = c.worker_id AND f.began <= a.finished_at AND COALESCE(f.ended, 'infinity') >= c.at
        LIMIT 1) own ON true
      LEFT JOIN LATERAL (
        SELECT f.what FROM chaos.faults f
        WHERE f.worker_id IS NULL AND f.began <= a.finished_at AND f.ended + interval '15 s' >= c.at
        LIMIT 1) everybody ON true
      LEFT JOIN LATERAL (
        SELECT true AS said FROM chaos.stopped s JOIN chaos.renewals r ON r.lease_no = s.lease_no
        WHERE s.lease_no = x.lease_no AND s.ticket_id = x.ticket_id AND r.gap > interval '1.5 s'
        LIMIT 1) late ON true
      WHERE a.outcome IS DISTINCT FROM 'succeeded' OR x.started > 1
      """;

  private final TicketDatabase database;

  Ledger(TicketDatabase database) {
    this.database = database;
  }

  static void install(TicketDatabase database) {
    database.run(TABLES + REASONS);
  }

  /**
   * Takes in what is known outside the database.
   *
   * @param said what the workers logged
   */
  void take(
      Collection<Long> acknowledged, List<String[]> lines, List<Fault> faults, List<String> said) {
    database.run("TRUNCATE chaos.acknowledged, chaos.lines, chaos.faults, chaos.stopped");
    for (String log : said) {
      STOPPED
          .matcher(log)
          .results()
          .forEach(
              each ->
                  database.run(
                      "INSERT INTO chaos.stopped VALUES (?, ?)",
                      Long.valueOf(each.group(1)),
                      Long.valueOf(each.group(2))));
    }
    database.run(
        "INSERT INTO chaos.acknowledged SELECT unnest(?::bigint[])",
        (Object) acknowledged.toArray(Long[]::new));
    database.run(
        "INSERT INTO chaos.lines SELECT w, t::bigint, l::bigint FROM unnest(?::text[], ?::text[],"
            + " ?::text[]) AS u (w, t, l)",
        column(lines, 0),
        column(lines, 1),
        column(lines, 3));
    for (Fault fault : faults) {
      database.run(
          "INSERT INTO chaos.faults VALUES (?, ?, ?::timestamptz, ?::timestamptz)",
          fault.what(),
          fault.worker(),
          fault.began().toString(),
          fault.ended() == null ? null : fault.ended().toString());
    }
  }

  private static String[] column(List<String[]> lines, int number) {
    return lines.stream().map(line -> line[number]).toArray(String[]::new);
  }

  /** The account of a run whose tickets have come to rest. */
  Account account() {
    List<String> reasons =
        database.column("SELECT reason FROM chaos.reasons WHERE reason IS NOT NULL");
    return new Account(
        database.number("SELECT count(*) FROM chaos.acknowledged"),
        database.number("SELECT COALESCE(sum(started), 0) FROM chaos.executions"),
        database.column(LOST),
        database.column(TWICE),
        database.column(FOREIGN),
        counted(reasons),
        database.column(
            "SELECT 'ticket ' || ticket_id || ', lease ' || lease_no || ' of ' ||"
                + " COALESCE(worker_id, 'nobody') || ': ' || COALESCE(outcome, 'no attempt') FROM"
                + " chaos.reasons WHERE reason IS NULL"));
  }

  private static Map<String, Integer> counted(List<String> reasons) {
    Map<String, Integer> counts = new TreeMap<>();
    reasons.forEach(reason -> counts.merge(reason, 1, Integer::sum));
    return counts;
  }

  /** When tickets were done, in seconds since the epoch, by the database's clock. */
  List<Double> doneAt() {
    return database
        .column(
            "SELECT extract(epoch FROM at) FROM chaos.changes WHERE new_state = 'done' ORDER BY 1")
        .stream()
        .map(Double::valueOf)
        .toList();
  }
}
