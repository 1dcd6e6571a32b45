package dev.holdfast.llm.account;

import dev.holdfast.llm.Account;
import dev.holdfast.llm.Standstill;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This worker's copy of what the cluster knows about accounts, so that a call usually needs no
 * query. It is as old as its last {@link #refresh}: after this worker's own changes, at a
 * notification, and at the poll interval. It measures time by the monotonic clock only.
 * Thread-safe.
 */
public final class AccountCache {
  private static final Logger LOG = LoggerFactory.getLogger(AccountCache.class);
  private static final Duration LEAST_SPREAD = Duration.ofSeconds(1);

  private final AccountStore store;
  private final AccountSettings settings;
  private final LongSupplier nanoTime;
  private final DoubleSupplier random;
  private volatile Copy copy;

  /**
   * @param readNanos when it was asked for
   */
  private record Copy(Map<Scope, Entry> entries, Set<String> budgets, long readNanos) {}

  /**
   * @param untilNanos only where it has an end
   * @param probeUntilNanos only where somebody tries
   */
  private record Entry(Closure closure, long untilNanos, long probeUntilNanos) {}

  /** The decision on sending a call. */
  sealed interface Admission {
    /**
     * @param probes the cool-downs of which this call tries whether they are over
     */
    record Open(List<Scope> probes) implements Admission {}

    record Shut(Standstill why) implements Admission {}
  }

  /**
   * @param random from 0 to 1
   */
  public AccountCache(
      AccountStore store, AccountSettings settings, LongSupplier nanoTime, DoubleSupplier random) {
    this.store = store;
    this.settings = settings;
    this.nanoTime = nanoTime;
    this.random = random;
    this.copy = new Copy(Map.of(), Set.of(), nanoTime.getAsLong());
  }

  long now() {
    return nanoTime.getAsLong();
  }

  AccountStore store() {
    return store;
  }

  AccountSettings settings() {
    return settings;
  }

  /** Returns a time of about that length, so that many callers do not come back together. */
  Duration around(Duration time) {
    return time.plus(part(time, random.getAsDouble()));
  }

  /** Returns those of the budgets that exist. */
  List<String> budgets(List<String> scopes) {
    return scopes.stream().filter(copy.budgets()::contains).toList();
  }

  /** Reads everything again; false where the database cannot be asked. */
  public synchronized boolean refresh() {
    try {
      long asked = nanoTime.getAsLong();
      AccountStore.State state = store.state();
      long now = nanoTime.getAsLong();
      Map<Scope, Entry> entries = new HashMap<>();
      state.closures().forEach(each -> entries.put(each.scope(), entry(each, now)));
      copy = new Copy(Map.copyOf(entries), state.budgets(), asked);
      return true;
    } catch (RuntimeException e) {
      LOG.debug("the state of the accounts cannot be read now: {}", e.toString());
      return false;
    }
  }

  private static Entry entry(Closure closure, long now) {
    return new Entry(closure, after(now, closure.left()), after(now, closure.probeLeft()));
  }

  private static long after(long now, @Nullable Duration time) {
    return time == null ? now : now + time.toNanos();
  }

  /** The scopes that are closed now, for metrics. */
  public List<Scope> closed() {
    long now = nanoTime.getAsLong();
    return copy.entries().values().stream()
        .filter(each -> shut(each, now) != null)
        .map(each -> each.closure().scope())
        .toList();
  }

  /**
   * Returns for how long a provider has given no answer, as far as anybody has tried; zero where it
   * answers. A provider whose keys are out is out since the last of them went out.
   */
  public Duration outage(String provider) {
    Duration whole = outages(provider, true).max(Comparator.naturalOrder()).orElse(Duration.ZERO);
    Duration keys = outages(provider, false).min(Comparator.naturalOrder()).orElse(Duration.ZERO);
    return whole.compareTo(keys) > 0 ? whole : keys;
  }

  private Stream<Duration> outages(String provider, boolean whole) {
    return copy.entries().values().stream()
        .map(Entry::closure)
        .filter(each -> each.scope().provider().equals(provider))
        .filter(each -> each.scope().keyId().isEmpty() == whole)
        .flatMap(each -> Stream.ofNullable(each.outage()));
  }

  /**
   * Returns why an account is not to be called; null where it may be called or tried. A copy from
   * before the attempt refuses nobody: a person may have opened the account when they let the
   * ticket try again.
   *
   * @param sinceNanos when the attempt began
   */
  @Nullable Standstill standstill(Account account, String model, long sinceNanos) {
    Standstill found = standstill(account, model);
    return found != null && copy.readNanos() - sinceNanos < 0 && refresh()
        ? standstill(account, model)
        : found;
  }

  private @Nullable Standstill standstill(Account account, String model) {
    long now = nanoTime.getAsLong();
    Standstill found = null;
    for (Scope scope : Scope.around(account, model)) {
      Entry entry = copy.entries().get(scope);
      Standstill shut = entry == null ? null : shut(entry, now);
      found = shut == null ? found : later(found, shut);
    }
    return found;
  }

  /** Returns the one of two standstills that ends last, because both have to end. */
  private static Standstill later(@Nullable Standstill one, Standstill other) {
    if (one == null || other.left() == null) {
      return other;
    }
    return one.left() == null || one.left().compareTo(other.left()) > 0 ? one : other;
  }

  private @Nullable Standstill shut(Entry entry, long now) {
    Closure closure = entry.closure();
    if (closure.needsPerson()) {
      return new Standstill(
          Standstill.Kind.ACCOUNT,
          null,
          false,
          List.of(closure.scope().text()),
          words(closure),
          null);
    }
    if (closure.left() == null) {
      return null;
    }
    if (entry.untilNanos() - now > 0) {
      return cooling(closure, Duration.ofNanos(entry.untilNanos() - now), closure.length());
    }
    boolean tried = closure.probeLeft() != null && entry.probeUntilNanos() - now > 0;
    return tried ? waitForProbe(closure, Duration.ofNanos(entry.probeUntilNanos() - now)) : null;
  }

  /**
   * Waits for another caller's try. It is usually over in seconds, long before it would count as
   * lost.
   */
  private Standstill waitForProbe(Closure closure, Duration left) {
    Duration look =
        left.compareTo(settings.baseDelay()) > 0 ? settings.baseDelay().dividedBy(4) : left;
    return cooling(closure, look, look);
  }

  private Standstill cooling(Closure closure, Duration left, Duration length) {
    Duration wait = left.plus(part(spread(length), random.getAsDouble()));
    boolean brief = left.compareTo(settings.waitInSession()) <= 0;
    return new Standstill(
        Standstill.Kind.COOLING,
        wait,
        brief,
        List.of(closure.scope().text()),
        words(closure),
        null);
  }

  private Duration spread(Duration length) {
    Duration wide = part(length, settings.spread());
    return wide.compareTo(LEAST_SPREAD) > 0 || settings.spread() == 0 ? wide : LEAST_SPREAD;
  }

  private static Duration part(Duration time, double part) {
    return Duration.ofMillis(Math.round(time.toMillis() * part));
  }

  private static String words(Closure closure) {
    return closure.scope().words()
        + ": "
        + closure.reason()
        + (closure.detail().isEmpty() ? "" : " (" + closure.detail() + ")");
  }

  /**
   * Decides on a call. Asks the store where a cool-down has just ended, and before an old copy
   * refuses.
   *
   * @param atMost how long others wait for this call, if it is the one that tries
   * @param sinceNanos when the attempt began
   */
  Admission admit(Account account, String model, Duration atMost, long sinceNanos) {
    Standstill shut = standstill(account, model, sinceNanos);
    if (shut != null) {
      return new Admission.Shut(shut);
    }
    List<Scope> probes = new ArrayList<>();
    for (Scope scope : Scope.around(account, model)) {
      Entry entry = copy.entries().get(scope);
      if (entry == null || entry.closure().left() == null) {
        continue;
      }
      switch (takeProbe(scope, atMost)) {
        case OPEN -> refresh();
        case TAKEN -> probes.add(scope);
        case WAIT -> {
          endProbes(probes);
          refresh();
          Standstill now = standstill(account, model);
          return new Admission.Shut(
              now == null ? waitForProbe(entry.closure(), settings.baseDelay()) : now);
        }
      }
    }
    return new Admission.Open(probes);
  }

  private AccountStore.Probe takeProbe(Scope scope, Duration atMost) {
    try {
      return store.takeProbe(scope, atMost);
    } catch (RuntimeException e) {
      LOG.warn("whether {} may be tried cannot be asked now: {}", scope.words(), e.toString());
      return AccountStore.Probe.WAIT;
    }
  }

  /** Records a failed call under an account. */
  void failed(AccountFailure failure, long ticketId, AccountListener listener) {
    boolean first = false;
    try {
      first = store.failed(failure, ticketId);
    } catch (RuntimeException e) {
      LOG.warn(
          "the others cannot be told that {} failed: {}", failure.scope().words(), e.toString());
    }
    refresh();
    if (first) {
      tell(failure);
      listener.closed(failure);
    }
  }

  private void tell(AccountFailure failure) {
    String words = failure.scope().words();
    boolean forPerson =
        failure.hint() == null
            && (failure.reason() == AccountFailure.Reason.AUTH
                || failure.reason() == AccountFailure.Reason.QUOTA);
    if (forPerson) {
      LOG.error(
          "{} is unavailable ({}: {}): what needs it is held; when it is mended: holdfast providers"
              + " mend {}",
          words,
          failure.reason().wireName(),
          failure.detail(),
          failure.scope().provider());
    } else {
      LOG.warn(
          "{} cools down ({}: {}): no worker calls it before that is over",
          words,
          failure.reason().wireName(),
          failure.detail());
    }
  }

  /** Records an answer: it ends whatever was counted against the account. */
  void answered(Account account, String model) {
    long now = nanoTime.getAsLong();
    List<Scope> over = new ArrayList<>();
    for (Scope scope : Scope.around(account, model)) {
      Entry entry = copy.entries().get(scope);
      if (entry != null && !entry.closure().needsPerson() && entry.untilNanos() - now <= 0) {
        over.add(scope);
      }
    }
    tellStore(over, store::answered);
  }

  /** Ends the tries of a call that showed nothing about the account. */
  void endProbes(List<Scope> probes) {
    tellStore(probes, store::endProbe);
  }

  private void tellStore(List<Scope> scopes, Consumer<Scope> what) {
    if (scopes.isEmpty()) {
      return;
    }
    try {
      scopes.forEach(what);
    } catch (RuntimeException e) {
      LOG.warn("the others cannot be told of {}: {}", scopes, e.toString());
    }
    refresh();
  }
}
