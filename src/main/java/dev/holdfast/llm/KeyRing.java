package dev.holdfast.llm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one provider. A key whose usage limit is reached is left out until its reset time
 * passes (D14). Where all are used up, the one that comes back first is used: the provider's answer
 * says more than ours could. Thread-safe.
 */
public final class KeyRing {
  /** How long a key rests whose reset time nobody told. */
  static final Duration DEFAULT_REST = Duration.ofHours(1);

  private static final Duration LONGEST_REST = Duration.ofDays(400);

  private final LongSupplier nanoTime;
  private final List<Slot> slots = new ArrayList<>();

  private static final class Slot {
    private final ProviderKey key;
    private long backAtNanos;
    private boolean usedUp;

    Slot(ProviderKey key) {
      this.key = key;
    }
  }

  /**
   * @param secrets in the order in which they are used; empty for a server that wants none
   */
  public KeyRing(List<String> secrets, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    List<String> all = secrets.isEmpty() ? List.of("none") : secrets;
    for (int i = 0; i < all.size(); i++) {
      slots.add(new Slot(new ProviderKey("key-" + (i + 1), all.get(i))));
    }
  }

  /** All of them, in the order in which they are used. */
  public synchronized List<ProviderKey> keys() {
    return slots.stream().map(slot -> slot.key).toList();
  }

  /** The first key that is not used up. */
  public synchronized ProviderKey current() {
    long now = nanoTime.getAsLong();
    Slot first = slots.getFirst();
    for (Slot slot : slots) {
      if (slot.usedUp && now - slot.backAtNanos >= 0) {
        slot.usedUp = false;
      }
      if (!slot.usedUp) {
        return slot.key;
      }
      if (slot.backAtNanos - first.backAtNanos < 0) {
        first = slot;
      }
    }
    return first.key;
  }

  /**
   * Leaves a key out. A later and shorter reset time does not bring it back earlier.
   *
   * @param resetsIn null where it is not known
   * @return whether there is another one that is not used up
   */
  public synchronized boolean markUsedUp(ProviderKey key, @Nullable Duration resetsIn) {
    long backAt = nanoTime.getAsLong() + rest(resetsIn).toNanos();
    for (Slot slot : slots) {
      if (slot.key.equals(key)) {
        boolean later = !slot.usedUp || backAt - slot.backAtNanos > 0;
        slot.backAtNanos = later ? backAt : slot.backAtNanos;
        slot.usedUp = true;
      }
    }
    return !current().equals(key) && slots.stream().anyMatch(slot -> !slot.usedUp);
  }

  private static Duration rest(@Nullable Duration resetsIn) {
    if (resetsIn == null) {
      return DEFAULT_REST;
    }
    return resetsIn.compareTo(LONGEST_REST) > 0 ? LONGEST_REST : resetsIn;
  }
}
