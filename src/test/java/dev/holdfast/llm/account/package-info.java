@NullMarked
package dev.holdfast.llm.account;

import org.jspecify.annotations.NullMarked;
