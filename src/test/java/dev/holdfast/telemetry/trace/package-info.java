@NullMarked
package dev.holdfast.telemetry.trace;

import org.jspecify.annotations.NullMarked;
