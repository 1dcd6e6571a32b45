package dev.holdfast.session.report;

/**
 * A bound of money, tokens, answers or time that allows no further call.
 *
 * @param scope what it bounds: "attempt", or the ticket as {@code Allowance.scope} names it
 * @param money whether more USD would help
 * @param words how much is used of how much
 */
public record UsedUp(String scope, boolean money, String words) {}
