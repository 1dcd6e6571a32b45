package dev.holdfast.worker;

import dev.holdfast.ticket.Review;
import tools.jackson.databind.JsonNode;

/**
 * The {@code review} of a design: {@code human}, {@code none}, or {@code {sample: 10 %}}, by which
 * a person looks at so many and the others are approved by the rule.
 *
 * @param others the review of the tickets that are not in the sample
 * @param sample the part that a person looks at, 0 to 1
 */
public record ReviewRule(Review others, double sample) {
  private static final double RANGE = 0x1p53;

  /**
   * @param review from a document that is valid by its schema
   * @param otherwise the rule if it says nothing
   */
  public static ReviewRule of(JsonNode review, Review otherwise) {
    String sample = review.path("sample").asString("");
    if (!sample.isEmpty()) {
      return new ReviewRule(Review.RULE, Double.parseDouble(sample.replace("%", "").strip()) / 100);
    }
    return switch (review.asString("")) {
      case "none" -> new ReviewRule(Review.NONE, 0);
      case "human" -> new ReviewRule(Review.HUMAN, 1);
      default -> new ReviewRule(otherwise, 0);
    };
  }

  /** Returns the review of a ticket: the same at every attempt and in every worker. */
  public Review of(long ticketId) {
    return spread(ticketId) < sample ? Review.HUMAN : others;
  }

  /** Returns a number from 0 to 1 that neighbours do not share: the finalizer of SplitMix64. */
  private static double spread(long id) {
    long mixed = id * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ (mixed >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    mixed ^= mixed >>> 31;
    return (mixed >>> 11) / RANGE;
  }
}
