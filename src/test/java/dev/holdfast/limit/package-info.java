/** Tests of limits' parsers. */
@NullMarked
package dev.holdfast.limit;

import org.jspecify.annotations.NullMarked;
