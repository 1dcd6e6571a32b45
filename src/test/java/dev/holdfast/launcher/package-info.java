/** Tests of the script that users start. */
@NullMarked
package dev.holdfast.launcher;

import org.jspecify.annotations.NullMarked;
