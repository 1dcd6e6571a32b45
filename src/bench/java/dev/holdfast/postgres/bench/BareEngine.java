package dev.holdfast.postgres.bench;

import dev.holdfast.ticket.HoldfastException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Puts the engine's functions without their looks for limits, deadlines and followers into the
 * benchmark's schema until it is closed. This shows what those looks cost while nobody uses them.
 */
public final class BareEngine implements AutoCloseable {
  /** In the definition of a function, one expression is replaced by another. */
  private record Cut(String function, String look, String instead) {}

  private static final String S = BenchSchema.NAME + ".";
  private static final List<Cut> CUTS =
      List.of(
          new Cut(
              "take_tickets",
              "EXISTS (SELECT FROM %sline_gates) OR EXISTS (SELECT FROM %sclaim_limits)",
              "false"),
          new Cut(
              "take_tickets",
              "EXISTS (SELECT FROM %sticket_deadlines e WHERE e.expires_at <= now()) THEN",
              "false THEN"),
          new Cut("store_successes", "PERFORM %sfree_slots(ticket_ids, lease_nos);", "NULL;"),
          new Cut(
              "store_successes",
              "EXISTS (SELECT FROM %sticket_dependencies d WHERE d.after_id = ANY (ticket_ids) AND"
                  + " d.ended_at IS NULL)",
              "false"));

  private final DataSource direct;
  private final List<String> whole = new ArrayList<>();

  private BareEngine(DataSource direct) {
    this.direct = direct;
  }

  /**
   * @throws HoldfastException if a function is not as it was when this was written
   */
  public static BareEngine install(DataSource direct) {
    BareEngine engine = new BareEngine(direct);
    for (String function : CUTS.stream().map(Cut::function).distinct().toList()) {
      String definition = definition(direct, function);
      engine.whole.add(definition);
      BenchSql.execute(direct, bare(function, definition));
    }
    return engine;
  }

  private static String bare(String function, String definition) {
    String bare = definition;
    for (Cut each : CUTS) {
      if (each.function().equals(function)) {
        String look = each.look().replace("%s", S);
        if (!bare.contains(look)) {
          throw new HoldfastException(function + " has no \"" + look + "\" any more");
        }
        bare = bare.replace(look, each.instead());
      }
    }
    return bare;
  }

  private static String definition(DataSource direct, String function) {
    return BenchSql.row(
        direct,
        "SELECT pg_get_functiondef('" + S + function + "'::regproc)",
        row -> row.getString(1));
  }

  @Override
  public void close() {
    whole.forEach(each -> BenchSql.execute(direct, each));
  }
}
