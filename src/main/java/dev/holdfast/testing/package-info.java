/** Help for the tests of programs that use Holdfast. Not for production. */
@NullMarked
package dev.holdfast.testing;

import org.jspecify.annotations.NullMarked;
