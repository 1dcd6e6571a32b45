/** Spans of OpenTelemetry for what workers, sessions and producers do. */
@NullMarked
package dev.holdfast.telemetry.trace;

import org.jspecify.annotations.NullMarked;
