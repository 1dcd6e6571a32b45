package dev.holdfast.failure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the answers to the latest reports, because equal failures come in swarms. Its places
 * are grouped by hash; within a group the latest stands first and the last one falls out. Threads
 * take no locks: if two of them meet, an answer may be forgotten or stand twice. That costs time
 * but is never wrong, because equal reports have equal answers.
 */
final class FailureCache {
  /** Longest text in characters; longer ones are rarely equal. */
  static final int MAX_TEXT = 4_096;

  private static final int GROUPS = 128;
  private static final int GROUP_SIZE = 4;

  private final AtomicReferenceArray<@Nullable Entry> entries =
      new AtomicReferenceArray<>(GROUPS * GROUP_SIZE);

  /** The key: all that an answer depends on. */
  private record Key(
      String text,
      List<List<String>> types,
      @Nullable Integer httpStatus,
      @Nullable Integer exitCode,
      @Nullable Category statedCategory,
      @Nullable Duration retryAfter) {
    static Key of(ErrorReport report) {
      return new Key(
          report.text(),
          CauseChain.typeNames(report.cause()),
          report.httpStatus(),
          report.exitCode(),
          report.statedCategory(),
          report.retryAfter());
    }
  }

  private record Entry(Key key, Failure failure) {}

  /** Returns the answer to an equal report, or null if none is remembered. */
  @Nullable Failure get(ErrorReport report) {
    if (report.text().length() > MAX_TEXT) {
      return null;
    }
    Key key = Key.of(report);
    int start = start(key);
    for (int i = start; i < start + GROUP_SIZE; i++) {
      Entry entry = entries.get(i);
      if (entry != null && entry.key().equals(key)) {
        if (i > start) {
          entries.set(i, entries.get(i - 1));
          entries.set(i - 1, entry);
        }
        return entry.failure();
      }
    }
    return null;
  }

  void put(ErrorReport report, Failure failure) {
    if (report.text().length() > MAX_TEXT) {
      return;
    }
    Key key = Key.of(report);
    int start = start(key);
    for (int i = start + GROUP_SIZE - 1; i > start; i--) {
      entries.set(i, entries.get(i - 1));
    }
    entries.set(start, new Entry(key, failure));
  }

  private static int start(Key key) {
    int hash = key.hashCode() * 0x9E3779B1;
    return (hash >>> 16) % GROUPS * GROUP_SIZE;
  }
}
