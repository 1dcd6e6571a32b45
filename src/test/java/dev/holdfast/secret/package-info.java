/** Tests of {@link dev.holdfast.secret.Secrets}. */
@NullMarked
package dev.holdfast.secret;

import org.jspecify.annotations.NullMarked;
