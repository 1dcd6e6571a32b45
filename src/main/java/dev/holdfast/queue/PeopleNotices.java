package dev.holdfast.queue;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * New holds, outages of providers, budgets and the like, for the receivers that tell people of
 * them, and how far each receiver was told. Thread-safe.
 *
 * <p>Everything throws {@link DatabaseUnavailableException} while the database is away.
 */
public interface PeopleNotices {
  /** Something that people are told of. */
  sealed interface Notice {
    /** Returns the number of the notice; it grows with each. */
    long id();
  }

  /**
   * A provider of models has not answered for {@code cooldown.notice-after}, or answers again.
   *
   * @param over whether it answers again
   * @param since when its silence began
   * @param reason why it is not called: rate_limit, overloaded, outage and the like
   * @param detail the provider's own words
   * @param words the sentence that says so to people; "" once it answers again
   */
  record OutageNotice(
      long id,
      Instant at,
      String provider,
      boolean over,
      String since,
      String reason,
      String detail,
      String words)
      implements Notice {}

  /**
   * A ticket that began to wait for a person.
   *
   * @param actor the person who held it, or {@code system}
   * @param error the beginning of its error
   * @param errorTitle the line of the error that says why
   */
  record HoldNotice(
      long id,
      long ticketId,
      Instant at,
      String actor,
      String queue,
      String kind,
      @Nullable String title,
      String reason,
      @Nullable String errorCategory,
      @Nullable String errorFingerprint,
      @Nullable String error,
      @Nullable String errorTitle)
      implements Notice {}

  /**
   * A shared budget of which eight tenths are spent, or which allows no further call.
   *
   * @param scope day, design:NAME or key:PROVIDER/KEY_ID
   * @param per day or total
   * @param usedUp whether tickets wait for it, or all of it is spent
   */
  record BudgetNotice(
      long id,
      Instant at,
      String scope,
      String per,
      boolean usedUp,
      BigDecimal limitUsd,
      BigDecimal spentUsd)
      implements Notice {}

  /**
   * Results that have begun to wait for review.
   *
   * @param design the design of all of them; null for tickets without one
   * @param ticketIds the first 50
   */
  record ReviewNotice(
      long id, Instant at, @Nullable String design, long count, List<Long> ticketIds)
      implements Notice {}

  /**
   * A summary for people, once a day.
   *
   * @param succeeded how many attempts of the last 24 hours succeeded; failed likewise
   * @param costUsd what models cost in the last 24 hours; null where none has a price
   */
  record DigestNotice(
      long id,
      Instant at,
      long onHold,
      long inReview,
      long ready,
      long succeeded,
      long failed,
      @Nullable BigDecimal costUsd)
      implements Notice {}

  /**
   * The notices that may be told now.
   *
   * @param notices in order, with those that were told already
   * @param settled the id up to which nothing can appear any more, however long a transaction takes
   */
  record Batch(List<Notice> notices, long settled) {}

  /**
   * Takes or renews the right to tell one receiver. It ends if it is not renewed for this long. The
   * first time ever it begins at the present.
   *
   * @param receiver a short name
   * @param process the process that asks
   * @return how far it was told; null while another process has the right
   */
  @Nullable Long lead(String receiver, String process, Duration time);

  /** Gives the right to tell back; does nothing without it. */
  void leave(String receiver, String process);

  /**
   * Returns at most this many notices after this one; {@link Batch#settled} may be beyond the last.
   */
  Batch after(long id, int limit);

  /**
   * Makes notices of the results that began to wait for review since anybody's last call; the first
   * call ever begins at the present.
   */
  void noteReviews();

  /** Makes notices of the budgets that have come near their limits since the last call. */
  void noteBudgets();

  /** Makes the digest if its time has come since the last one; the first call ever makes none. */
  void noteDigest(LocalTime time, ZoneId zone);

  /** Notes that everything up to here was told; does nothing without the right to tell. */
  void told(String receiver, String process, long id);
}
