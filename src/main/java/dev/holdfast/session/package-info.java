/**
 * One agent's conversation: the turn runner (B), the auto-retry of a whole turn (D), compaction,
 * and the journal that lets a session go on where another process left it.
 */
@NullMarked
package dev.holdfast.session;

import org.jspecify.annotations.NullMarked;
