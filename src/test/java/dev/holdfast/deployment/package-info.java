/** Holds the files in {@code deploy} and {@code docker-compose.yml} against the program. */
@NullMarked
package dev.holdfast.deployment;

import org.jspecify.annotations.NullMarked;
