package dev.holdfast.session.retry;

import dev.holdfast.llm.Standstill;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes the targets in turn, and leaves out those that nobody is to call now. Not thread-safe; one
 * for each run of a turn.
 */
public final class Routing {
  private final List<Route> routes;
  private final LongSupplier nanoTime;
  private final Map<Route, Standstill> refusals = new HashMap<>();

  /** The end of the pause of each target that comes back by itself. */
  private final Map<Route, Long> pauses = new HashMap<>();

  private int cursor;

  /**
   * @param tried attempts of this run of the turn that an earlier process has made
   */
  public Routing(List<Route> routes, int tried, LongSupplier nanoTime) {
    this.routes = List.copyOf(routes);
    this.cursor = tried;
    this.nanoTime = nanoTime;
  }

  /** The next target that may be called; null where none may, see {@link #standstill}. */
  public @Nullable Route next() {
    for (int i = 0; i < routes.size(); i++) {
      Route route = routes.get(cursor++ % routes.size());
      if (shut(route) == null) {
        return route;
      }
    }
    return null;
  }

  /** Why no target may be called; null where one may. */
  public @Nullable Standstill standstill() {
    Standstill soonest = null;
    for (Route route : routes) {
      Standstill shut = shut(route);
      if (shut == null) {
        return null;
      }
      soonest = Standstill.sooner(soonest, shut);
    }
    return soonest;
  }

  /** True if nobody is to call a target now. */
  public boolean isShut(Route route) {
    return shut(route) != null;
  }

  private @Nullable Standstill shut(Route route) {
    Long end = pauses.get(route);
    if (end != null && nanoTime.getAsLong() - end >= 0) {
      pauses.remove(route);
      refusals.remove(route);
    }
    Standstill refused = refusals.get(route);
    return refused != null
        ? refused
        : route.provider().standstill(route.target().model()).orElse(null);
  }

  /** Leaves out the target of a call that was not sent, until the next wait is over. */
  public void refused(Route route, Standstill why) {
    refusals.put(route, why);
  }

  /** Leaves out a target for a time, but no longer than until the next wait is over. */
  public void paused(Route route, Standstill why, Duration time) {
    refusals.put(route, why);
    pauses.put(route, nanoTime.getAsLong() + time.toNanos());
  }

  /** Allows refused targets again after a wait. */
  public void waited() {
    refusals.clear();
    pauses.clear();
  }
}
