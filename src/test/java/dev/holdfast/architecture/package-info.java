/** Rules about the shape of the code, and proof that each of them can fail. */
@NullMarked
package dev.holdfast.architecture;

import org.jspecify.annotations.NullMarked;
