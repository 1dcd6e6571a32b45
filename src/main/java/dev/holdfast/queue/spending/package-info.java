/** Providers that are not called now, and budgets: what people read and change of them. */
@NullMarked
package dev.holdfast.queue.spending;

import org.jspecify.annotations.NullMarked;
