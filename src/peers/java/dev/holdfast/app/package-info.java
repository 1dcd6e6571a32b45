/** Where {@code mvn -Pbench verify} starts. */
@NullMarked
package dev.holdfast.app;

import org.jspecify.annotations.NullMarked;
