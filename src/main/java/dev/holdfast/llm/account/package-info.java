/**
 * Accounts of providers, shared by all workers: cool-downs, breakers and budgets. A {@link
 * dev.holdfast.llm.account.GuardedProvider} heeds them at each call.
 */
@NullMarked
package dev.holdfast.llm.account;

import org.jspecify.annotations.NullMarked;
