package dev.holdfast.llm.account;

import dev.holdfast.llm.RetryContext;
import org.jspecify.annotations.Nullable;

/**
 * On whose behalf calls are made.
 *
 * @param design its name; null for a ticket without one
 * @param context the attempt's budget of calls, from which a second key's call is taken as well
 */
public record CallOf(long ticketId, long leaseNo, @Nullable String design, RetryContext context) {}
