@NullMarked
package dev.holdfast.llm.scripted;

import org.jspecify.annotations.NullMarked;
