package dev.holdfast.llm;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a target is not to be called now, even if another worker found it out.
 *
 * @param left until it may be tried again, this caller's share of the spread included; null where a
 *     person has to do something first
 * @param brief whether the wait is worth being sat out where one is
 * @param scopes of the accounts ({@code PROVIDER/KEY_ID/MODEL}), or the budget without room
 * @param words for people, such as "openai: rate_limit"
 * @param neededUsd what the call may cost at worst; null where money is not the matter
 */
public record Standstill(
    Kind kind,
    @Nullable Duration left,
    boolean brief,
    List<String> scopes,
    String words,
    @Nullable BigDecimal neededUsd) {
  /** The obstacle. */
  public enum Kind {
    /** A cool-down, or the one call that tries whether it is over. */
    COOLING,
    /** The key is refused or its money is used up. */
    ACCOUNT,
    /** A budget has no room. */
    BUDGET
  }

  public Standstill {
    scopes = List.copyOf(scopes);
  }

  /** Returns the one of two targets' standstills that ends first; its caller waits for either. */
  public static Standstill sooner(@Nullable Standstill one, Standstill other) {
    if (one == null) {
      return other;
    }
    boolean keep = endsBefore(one, other);
    Standstill first = keep ? one : other;
    Standstill second = keep ? other : one;
    if (first.kind == Kind.BUDGET || second.kind == Kind.BUDGET) {
      return first;
    }
    List<String> both = new ArrayList<>(first.scopes);
    second.scopes.stream().filter(scope -> !both.contains(scope)).forEach(both::add);
    String words =
        first.words.contains(second.words) ? first.words : first.words + "; " + second.words;
    return new Standstill(first.kind, first.left, first.brief, both, words, first.neededUsd);
  }

  private static boolean endsBefore(Standstill one, Standstill other) {
    if (one.left == null || other.left == null) {
      return one.left != null || other.left == null;
    }
    return one.left.compareTo(other.left) <= 0;
  }
}
