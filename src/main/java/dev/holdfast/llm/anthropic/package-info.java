/** Anthropic's messages. */
@NullMarked
package dev.holdfast.llm.anthropic;

import org.jspecify.annotations.NullMarked;
