/** What programs that embed Holdfast do. */
@NullMarked
package dev.holdfast.embedding;

import org.jspecify.annotations.NullMarked;
