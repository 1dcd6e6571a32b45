/** Talking to models: one port, what goes over it, and the retry of single calls. */
@NullMarked
package dev.holdfast.llm;

import org.jspecify.annotations.NullMarked;
