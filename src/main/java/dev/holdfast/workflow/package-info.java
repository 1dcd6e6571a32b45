/**
 * Tickets made of steps: what begins when, templates and conditions, and the handlers of the kinds
 * {@code workflow} and {@code human}. CEL is needed only where an expression is more than a path.
 */
@NullMarked
package dev.holdfast.workflow;

import org.jspecify.annotations.NullMarked;
