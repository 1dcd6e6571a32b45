/** Models over HTTP, through the real SDKs, against a server that fails on demand. */
@NullMarked
package dev.holdfast.llm;

import org.jspecify.annotations.NullMarked;
