@NullMarked
package dev.holdfast.llm.wire;

import org.jspecify.annotations.NullMarked;
