package dev.holdfast.limit;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.fuzz.FuzzTarget;

/** Rates of limits, as people and programs write them. */
public final class RateFuzz {
  private static final int LONGEST_REFUSAL = 300;

  public static final FuzzTarget RATE = FuzzTarget.ofText("rate", RateFuzz::rate);

  private RateFuzz() {}

  private static void rate(String text) {
    try {
      Rate rate = Rate.parse(text);
      require(rate.count() >= 0 && rate.count() < 10_000_000, "a count is one: " + rate);
      require(!rate.per().isNegative(), "a time is one: " + rate);
    } catch (IllegalArgumentException e) {
      String told = String.valueOf(e.getMessage());
      require(told.length() <= LONGEST_REFUSAL, "a refusal is short: " + told.length());
    }
  }
}
