package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * The database refuses five tickets at a time, each with an SQLSTATE of its own: one where it is
 * claimed, one where its result is stored, one where its lease is renewed, one where its worker is
 * dead, one where its session is written down. The others go on. After as many rounds as there are
 * states each was met at each point.
 *
 * <p>A round is judged by itself, while the refusals last. An outage may stop whoever meets it; by
 * any other state no ticket suffers but the one that is refused.
 */
final class SqlStateCell implements Cell {
  /**
   * @param states what was met, by the point
   * @param tickets who met it
   * @param middle from here on, all have been refused, and what others do is counted
   * @param neighbour a ticket of the same dead worker as the one that cannot be rescued
   */
  private record Round(
      Map<String, String> states,
      Map<String, Long> tickets,
      Instant from,
      Instant middle,
      Instant to,
      long neighbour) {
    boolean isOutage(String point) {
      return OUTAGES.contains(states.get(point));
    }

    /** Claims of one ticket stop all; what one worker has, stops that one alone. */
    long least(double perSecond) {
      return isOutage("claim")
          ? 0
          : isOutage("finish") || isOutage("heartbeat") ? 1 : Math.round(SOME * perSecond);
    }

    long ticket(String point) {
      return Objects.requireNonNull(tickets.get(point));
    }
  }

  /**
   * Each class that PostgreSQL's list of error codes has, but success; more than one of the classes
   * that databases in trouble speak; a class of our own, and one that nobody knows.
   */
  private static final List<String> STATES =
      List.of(
          "01000", "02000", "03000", "08006", "09000", "0A000", "0B000", "0F000", "0L000", "0P000",
          "0Z000", "10608", "20000", "21000", "22003", "23514", "24000", "25001", "26000", "27000",
          "28000", "2B000", "2D000", "2F002", "34000", "38000", "39000", "3B000", "3D000", "3F000",
          "40001", "40P01", "42501", "44000", "53100", "53200", "53300", "54000", "55000", "55P03",
          "57014", "57P01", "58030", "72000", "F0000", "HV000", "P0001", "P0004", "XX000", "XX001",
          "HF409", "99999");

  /** Others are waited for, or tried again for some seconds: somebody has it locked, no room. */
  private static final List<String> OUTAGES = List.of("08006", "57P01", "53300");

  private static final List<String> MENDS =
      List.of("40001", "40P01", "55P03", "53100", "53200", "58030");

  /** Of a round: until all have been refused, and what is counted. */
  private static final Duration ROUND = Duration.ofSeconds(5);

  private static final Duration COUNTED = Duration.ofSeconds(2);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long TURN_MILLIS = 300;

  /** Sequences count what was met: they do not go back with the transaction that is refused. */
  private static final String REFUSALS =
      """
      CREATE TABLE chaos.refusals (point text, ticket_id bigint, state text);
      CREATE TABLE chaos.points (point text, state text);
      CREATE FUNCTION chaos.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        who bigint[];
        refusal record;
      BEGIN
        IF TG_ARGV[0] = 'heartbeat' THEN who := NEW.ids;
        ELSIF TG_ARGV[0] = 'claim' THEN who := ARRAY[OLD.id];
        ELSIF TG_ARGV[0] = 'finish' THEN who := ARRAY[NEW.id];
        ELSE who := ARRAY[NEW.ticket_id];
        END IF;
        SELECT * INTO refusal FROM chaos.refusals r WHERE r.point = TG_ARGV[0] AND r.ticket_id = ANY (who);
        IF FOUND THEN
          PERFORM nextval(format('chaos.%I', refusal.point || '_' || refusal.state));
          RAISE EXCEPTION 'sector 7 is unreadable' USING ERRCODE = refusal.state;
        END IF;
        IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER refuse BEFORE DELETE ON holdfast.ready
        FOR EACH ROW EXECUTE FUNCTION chaos.refuse('claim');
      CREATE TRIGGER refuse BEFORE UPDATE ON holdfast.ticket_base
        FOR EACH ROW WHEN (NEW.state = 'done') EXECUTE FUNCTION chaos.refuse('finish');
      CREATE TRIGGER refuse BEFORE UPDATE ON holdfast.leases
        FOR EACH ROW EXECUTE FUNCTION chaos.refuse('heartbeat');
      CREATE TRIGGER refuse BEFORE INSERT ON holdfast.ticket_attempts
        FOR EACH ROW WHEN (NEW.outcome IN ('crashed', 'given_back')) EXECUTE FUNCTION chaos.refuse('rescue');
      CREATE TRIGGER refuse BEFORE INSERT ON holdfast.session_journal
        FOR EACH ROW EXECUTE FUNCTION chaos.refuse('journal');
      """;

  /** In one statement, so that it is nobody's before it is refused; before all others. */
  private static final String ADD =
      """
      WITH added AS (
        INSERT INTO holdfast.tickets (kind, design_id, priority) SELECT 'command', id, 1 FROM holdfast.designs
        WHERE name = ? RETURNING id)
      INSERT INTO chaos.refusals SELECT ?, id, ? FROM added RETURNING ticket_id
      """;

  private static final String ADD_OF_THE_DEAD =
      """
      WITH added AS (
        INSERT INTO holdfast.tickets (kind, design_id, queue) SELECT 'command', id, ? FROM holdfast.designs
        WHERE name = 'long' RETURNING id)
      INSERT INTO chaos.refusals SELECT ?, id, ? FROM added RETURNING ticket_id
      """;

  private static final String ADD_SESSION =
      """
      WITH added AS (
        SELECT holdfast.enqueue_ticket(design => 'session', priority => 1, payload =>
          jsonb_build_object('prompt', format('This is %s.', ?::text))) AS id)
      INSERT INTO chaos.refusals SELECT 'journal', id, ? FROM added RETURNING ticket_id
      """;

  /** A worker claims it, and is never heard of again. */
  private static final String CLAIM =
      "SELECT id FROM holdfast.take_tickets(ARRAY['command'], ARRAY[?], 1, 'dead', 1, '{}', 1000,"
          + " 1000, 0)";

  private static final String RESCUED =
      "SELECT count(*) FROM holdfast.ticket_attempts WHERE ticket_id = ? AND outcome IN ('crashed',"
          + " 'given_back')";

  private static final String HELD =
      "SELECT count(*) FROM holdfast.tickets WHERE id = ? AND state = 'on_hold' AND hold_reason"
          + " LIKE '%sector 7 is unreadable%'";

  private static final String CLAIMED =
      """
      SELECT count(*) FROM chaos.claims c
      JOIN chaos.claims of_refused ON of_refused.worker_id = c.worker_id AND of_refused.ticket_id = ?
      WHERE c.at BETWEEN ?::timestamptz AND ?::timestamptz
      """;

  /** Who ran again in a round, and was neither refused nor under a lease that was. */
  private static final String INNOCENT =
      """
      SELECT x.ticket_id || ' under lease ' || x.lease_no || ': ' || x.outcome
      FROM chaos.reasons x JOIN holdfast.ticket_attempts a USING (ticket_id, lease_no)
      WHERE a.finished_at BETWEEN ?::timestamptz AND ?::timestamptz
        AND x.ticket_id <> ALL (?)
        AND x.lease_no NOT IN (SELECT lease_no FROM chaos.claims WHERE ticket_id = ANY (?))
      """;

  /** Of what comes in a second, in two. */
  private static final double SOME = 0.6;

  private static final List<String> POINTS =
      List.of("finish", "heartbeat", "rescue", "journal", "claim");

  private final List<String> states = new ArrayList<>(STATES);
  private final List<Round> rounds = new ArrayList<>();
  private final List<Long> struck = new ArrayList<>();
  private @Nullable Sessions sessions;

  @Override
  public void prepare(Chaos chaos) {
    sessions = new Sessions(chaos, TURN_MILLIS);
    chaos.database.run(REFUSALS);
    Collections.shuffle(states, chaos.random);
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    long count = Math.max(1, chaos.options.length().dividedBy(ROUND));
    chaos.faults.during(
        "refused by the database",
        () -> {
          for (int round = 0; round < count; round++) {
            rounds.add(round(chaos, round));
            chaos.database.run("DELETE FROM chaos.refusals");
          }
        });
    for (long id : struck) {
      chaos.release(id);
    }
  }

  /** The last one may stop all claims, as an outage does: by then the others have met theirs. */
  private Round round(Chaos chaos, int number) throws Exception {
    Instant from = Instant.now();
    Map<String, String> met = new LinkedHashMap<>();
    Map<String, Long> tickets = new HashMap<>();
    chaos.load.add(Jobs.LONGEST, "innocent-" + number);
    for (int i = 0; i < POINTS.size(); i++) {
      String point = POINTS.get(i);
      String state = states.get((number + i) % states.size());
      if (point.equals("claim")) {
        awaitMet(chaos, met);
      }
      String sequence = "chaos.\"" + point + "_" + state + "\"";
      chaos.database.run("DROP SEQUENCE IF EXISTS " + sequence + "; CREATE SEQUENCE " + sequence);
      met.put(point, state);
      tickets.put(point, refuse(chaos, point, state));
    }
    long neighbour = acknowledged(chaos, ofTheDead(chaos, "nobody", "none"));
    awaitMet(chaos, met);
    Instant middle = Instant.now();
    chaos.pass(COUNTED);
    Round round = new Round(met, tickets, from, middle, Instant.now(), neighbour);
    judge(chaos, round);
    return round;
  }

  private long refuse(Chaos chaos, String point, String state) throws SQLException {
    long id =
        switch (point) {
          case "journal" -> chaos.database.number(ADD_SESSION, "session-" + struck.size(), state);
          case "rescue" -> ofTheDead(chaos, point, state);
          case "heartbeat" -> chaos.database.number(ADD, Jobs.LONGEST, point, state);
          default -> chaos.database.number(ADD, Jobs.LONG, point, state);
        };
    struck.add(id);
    return acknowledged(chaos, id);
  }

  private static long acknowledged(Chaos chaos, long id) {
    chaos.load.acknowledged().put("refused-" + id, id);
    return id;
  }

  /** The dead worker has it before anybody else sees it: in a queue of its own. */
  private static long ofTheDead(Chaos chaos, String point, String state) throws SQLException {
    String queue = "of-the-dead-" + chaos.load.acknowledged().size();
    try (Connection connection = chaos.site.dataSource().getConnection();
        PreparedStatement add = connection.prepareStatement(ADD_OF_THE_DEAD);
        PreparedStatement claim = connection.prepareStatement(CLAIM)) {
      connection.setAutoCommit(false);
      add.setString(1, queue);
      add.setString(2, point);
      add.setString(3, state);
      long id = first(add);
      claim.setString(1, queue);
      assertThat(first(claim)).isEqualTo(id);
      connection.commit();
      return id;
    }
  }

  private static long first(PreparedStatement statement) throws SQLException {
    try (ResultSet rows = statement.executeQuery()) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private static void awaitMet(Chaos chaos, Map<String, String> states) {
    states.forEach(
        (point, state) ->
            Awaitility.await("the database refuses at " + point + " with " + state)
                .atMost(PATIENCE)
                .until(
                    () ->
                        chaos
                            .database
                            .value("SELECT is_called FROM chaos.\"" + point + "_" + state + "\"")
                            .equals("t")));
  }

  /** While the refusals last: when they are over, all that waited for them goes on. */
  private static void judge(Chaos chaos, Round round) {
    long finished = round.ticket("finish");
    if (!round.isOutage("finish") && !MENDS.contains(round.states().get("finish"))) {
      Awaitility.await("ticket " + finished + " is on hold in the database's words; " + round)
          .atMost(PATIENCE)
          .until(() -> chaos.database.number(HELD, finished) > 0);
    }
    if (!round.isOutage("rescue")) {
      Awaitility.await("who stands beside one that cannot be rescued is; " + round)
          .atMost(PATIENCE)
          .until(() -> chaos.database.number(RESCUED, round.neighbour()) > 0);
    }
  }

  @Override
  public void check(Chaos chaos) {
    for (Round each : rounds) {
      goesOn(chaos, each);
    }
  }

  private void goesOn(Chaos chaos, Round round) {
    long done = chaos.done(round.middle(), round.to());
    System.out.println(done + " tickets in two seconds, while refused were " + round.states());
    assertThat(done)
        .as("tickets done in the last seconds of %s", round)
        .isGreaterThanOrEqualTo(round.least(chaos.options.perSecond()));
    if (!round.isOutage("heartbeat") && !round.isOutage("claim")) {
      assertThat(
              chaos.database.number(
                  CLAIMED,
                  round.ticket("heartbeat"),
                  round.middle().toString(),
                  round.to().toString()))
          .as("claims of whose heartbeat was refused, in the last seconds of %s", round)
          .isPositive();
    }
    if (!round.isOutage("heartbeat")) {
      Long[] excused = Stream.concat(struck.stream(), neighbours()).toArray(Long[]::new);
      assertThat(
              chaos.database.column(
                  INNOCENT,
                  round.from().toString(),
                  round.to().toString(),
                  (Object) excused,
                  (Object) excused))
          .as("innocents that ran again in %s", round)
          .isEmpty();
    }
  }

  private Stream<Long> neighbours() {
    return rounds.stream().map(Round::neighbour);
  }

  @Override
  public void leave() {
    Sessions open = sessions;
    if (open != null) {
      open.close();
    }
  }
}
