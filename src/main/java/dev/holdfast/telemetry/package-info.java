/** Listeners that count: metrics for Prometheus through Micrometer. */
@NullMarked
package dev.holdfast.telemetry;

import org.jspecify.annotations.NullMarked;
