/**
 * What all workers share about the accounts of providers: cool-downs, breakers and budgets. A
 * {@link dev.holdfast.llm.account.GuardedProvider} heeds them at each call.
 */
@NullMarked
package dev.holdfast.llm.account;

import org.jspecify.annotations.NullMarked;
