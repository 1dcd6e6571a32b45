/** OpenAI's chat completions, and every server that speaks them. */
@NullMarked
package dev.holdfast.llm.openai;

import org.jspecify.annotations.NullMarked;
