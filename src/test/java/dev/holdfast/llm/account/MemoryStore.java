package dev.holdfast.llm.account;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records of accounts which a test writes by hand, with a list of what a worker told them. */
final class MemoryStore implements AccountStore {
  final List<Closure> closures = new ArrayList<>();
  final Set<String> budgets = new HashSet<>();
  final List<String> told = new CopyOnWriteArrayList<>();
  final Map<Scope, Probe> probes = new HashMap<>();

  /** Of reserving, in their order; granted where there is none. */
  final Deque<Reservation> reservations = new ArrayDeque<>();

  boolean first = true;
  volatile boolean down;
  int reads;

  /** Run at each read and at each upkeep, whether the database is there or not. */
  Runnable onRead = () -> {};

  Runnable onUpkeep = () -> {};

  private void requireUp() {
    if (down) {
      throw new IllegalStateException("no database");
    }
  }

  @Override
  public State state() {
    reads++;
    onRead.run();
    requireUp();
    return new State(closures, budgets);
  }

  @Override
  public boolean failed(AccountFailure failure, long ticketId) {
    requireUp();
    told.add("failed " + failure.scope().text() + " " + failure.reason() + " of " + ticketId);
    return first;
  }

  @Override
  public Probe takeProbe(Scope scope, Duration atMost) {
    requireUp();
    told.add("probe " + scope.text() + " for " + atMost);
    return probes.getOrDefault(scope, Probe.TAKEN);
  }

  @Override
  public void endProbe(Scope scope) {
    requireUp();
    told.add("end " + scope.text());
  }

  @Override
  public void answered(Scope scope) {
    requireUp();
    told.add("answered " + scope.text());
    closures.removeIf(each -> each.scope().equals(scope));
  }

  @Override
  public Reservation reserve(List<String> scopes, BigDecimal usd, long ticketId, long leaseNo) {
    requireUp();
    told.add("reserve " + usd.stripTrailingZeros().toPlainString() + " of " + scopes);
    return reservations.isEmpty() ? new Reservation.Granted(7) : reservations.removeFirst();
  }

  @Override
  public void settle(long reservation, BigDecimal usd) {
    requireUp();
    told.add("settle " + reservation + ": " + usd.stripTrailingZeros().toPlainString());
  }

  @Override
  public List<String> upkeep(OutageSettings outages) {
    onUpkeep.run();
    return List.of("openai has given no answer for " + outages.noticeAfter());
  }
}
