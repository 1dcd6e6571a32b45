package dev.holdfast.ticket;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a ticket waits, besides its turn.
 *
 * @param scopes the accounts, any one of which lets it go on ({@code PROVIDER/KEY_ID/MODEL}); or
 *     the budget that has no room
 * @param words words for people, such as "openai: rate_limit"
 * @param neededUsd what its next call may cost at worst; null if it does not wait for money
 */
public record TicketWait(
    Kind kind, List<String> scopes, String words, @Nullable BigDecimal neededUsd) {
  /** The kinds of waits, by what ends them. */
  public enum Kind {
    /** A cool-down that ends by itself; the ticket is deferred. */
    PROVIDER,
    /** A person mends an account; the ticket is held. */
    ACCOUNT,
    /** A person raises a budget, or its next day begins; the ticket is held. */
    BUDGET;

    /** Returns the name in {@code ticket_waits.kind}. */
    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public TicketWait {
    scopes = List.copyOf(scopes);
  }
}
