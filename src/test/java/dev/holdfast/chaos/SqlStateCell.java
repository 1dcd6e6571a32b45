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
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The database refuses five tickets at a time, each with an SQLSTATE of its own: one where it is
 * claimed, one where its result is stored, one where its lease is renewed, one where its worker is
 * dead, one where its session is written down. The others go on. After as many rounds as there are
 * states each was met at each point.
 */
final class SqlStateCell implements Cell {
  /**
   * The second half of a round.
   *
   * @param claim what the claim met in it
   */
  private record Window(String claim, Instant from, Instant to) {}

  private static final List<String> STATES =
      List.of(
          "XX001", "XX000", "P0001", "53100", "53200", "57014", "22003", "23514", "25001", "40001",
          "40P01", "42501", "54000", "55000", "55P03", "58030", "08006", "57P01", "53300");

  private static final Duration EACH = Duration.ofSeconds(4);
  private static final Duration BEFORE_CLAIM = Duration.ofMillis(800);
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

  /** In one statement, so that it is nobody's before it is refused. */
  private static final String ADD =
      """
      WITH added AS (
        INSERT INTO holdfast.tickets (kind, design_id) SELECT 'command', id FROM holdfast.designs
        WHERE name = 'long' RETURNING id)
      INSERT INTO chaos.refusals SELECT ?, id, ? FROM added RETURNING ticket_id
      """;

  private static final String ADD_OF_THE_DEAD =
      """
      WITH added AS (
        INSERT INTO holdfast.tickets (kind, design_id, queue) SELECT 'command', id, 'dead' FROM holdfast.designs
        WHERE name = 'long' RETURNING id)
      INSERT INTO chaos.refusals SELECT 'rescue', id, ? FROM added RETURNING ticket_id
      """;

  private static final String ADD_SESSION =
      """
      WITH added AS (
        SELECT holdfast.enqueue_ticket(design => 'session', payload =>
          jsonb_build_object('prompt', format('This is %s.', ?::text))) AS id)
      INSERT INTO chaos.refusals SELECT 'journal', id, ? FROM added RETURNING ticket_id
      """;

  /** A worker claims it, and is never heard of again. */
  private static final String CLAIM =
      "SELECT id FROM holdfast.take_tickets(ARRAY['command'], ARRAY['dead'], 1, 'dead', 1, '{}',"
          + " 1000, 1000, 0)";

  /** Which are waited for, whoever meets them. */
  private static final List<String> OUTAGES = List.of("08006", "57P01", "53300");

  /** Of what comes in a second, in two. */
  private static final double SOME = 0.6;

  private static final String CLAIMED = "claim";
  private static final List<String> POINTS =
      List.of("finish", "heartbeat", "rescue", "journal", CLAIMED);

  private final List<String> states = new ArrayList<>(STATES);
  private final List<String> asked = new ArrayList<>();
  private final List<Window> windows = new ArrayList<>();
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
    Instant end = chaos.end();
    chaos.faults.during(
        "refused by the database",
        () -> {
          for (int round = 0; round == 0 || Instant.now().isBefore(end); round++) {
            refuseSome(chaos, round);
            chaos.pass(EACH.dividedBy(2));
            Instant middle = Instant.now();
            chaos.pass(EACH.dividedBy(2));
            windows.add(new Window(asked.getLast(), middle, Instant.now()));
            chaos.database.run("DELETE FROM chaos.refusals");
          }
        });
    for (long id : struck) {
      chaos.release(id);
    }
  }

  /** The last one may stop all claims, as an outage does: by then the others are claimed. */
  private void refuseSome(Chaos chaos, int round) throws Exception {
    for (int point = 0; point < POINTS.size(); point++) {
      String name = POINTS.get(point);
      String state = states.get((round + point) % states.size());
      if (name.equals(CLAIMED)) {
        chaos.pass(BEFORE_CLAIM);
      }
      chaos.database.run("CREATE SEQUENCE IF NOT EXISTS chaos.\"" + name + "_" + state + "\"");
      asked.add(name + "_" + state);
      struck.add(refuse(chaos, name, state));
    }
  }

  private long refuse(Chaos chaos, String point, String state) throws SQLException {
    long id =
        switch (point) {
          case "journal" -> chaos.database.number(ADD_SESSION, "session-" + struck.size(), state);
          case "rescue" -> ofTheDead(chaos, state);
          default -> chaos.database.number(ADD, point, state);
        };
    chaos.load.acknowledged().put("refused-" + id, id);
    return id;
  }

  /** The dead worker has it before anybody else sees it. */
  private static long ofTheDead(Chaos chaos, String state) throws SQLException {
    try (Connection connection = chaos.site.dataSource().getConnection();
        PreparedStatement statement = connection.prepareStatement(ADD_OF_THE_DEAD)) {
      connection.setAutoCommit(false);
      statement.setString(1, state);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        long id = rows.getLong(1);
        connection.createStatement().execute(CLAIM);
        connection.commit();
        return id;
      }
    }
  }

  /**
   * Each round by itself: what waited in one is done at the beginning of the next. Where the claim
   * meets what is an outage, nothing is claimed.
   */
  private static void goesOn(Chaos chaos, Window window) {
    long done = chaos.done(window.from(), window.to());
    System.out.println(done + " tickets in two seconds, while " + window.claim() + " was refused");
    if (OUTAGES.stream().noneMatch(window.claim()::endsWith)) {
      assertThat(done)
          .as("tickets done while %s was refused", window)
          .isGreaterThanOrEqualTo(Math.round(SOME * chaos.options.perSecond()));
    }
  }

  @Override
  public void check(Chaos chaos) {
    assertThat(asked)
        .as("what the database was to refuse, and did")
        .allSatisfy(
            each ->
                assertThat(chaos.database.value("SELECT is_called FROM chaos.\"" + each + "\""))
                    .as(each)
                    .isEqualTo("t"));
    for (Window each : windows) {
      goesOn(chaos, each);
    }
  }

  @Override
  public void leave() {
    Sessions open = sessions;
    if (open != null) {
      open.close();
    }
  }
}
