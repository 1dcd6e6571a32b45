/** A ticket's own copy of a repository, its worktrees, and the branch that its result ends on. */
@NullMarked
package dev.holdfast.repair.git;

import org.jspecify.annotations.NullMarked;
