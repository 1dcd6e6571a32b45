/** Tables of sessions: journal, events, approvals, attempts, accounts of providers, allowances. */
@NullMarked
package dev.holdfast.postgres.session;

import org.jspecify.annotations.NullMarked;
