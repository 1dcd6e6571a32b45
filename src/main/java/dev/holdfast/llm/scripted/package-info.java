/** A provider that plays a script instead of asking a model, for demonstrations and tests. */
@NullMarked
package dev.holdfast.llm.scripted;

import org.jspecify.annotations.NullMarked;
