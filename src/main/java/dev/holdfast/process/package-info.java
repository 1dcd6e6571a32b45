/**
 * Programs as children of the worker: started in a session of their own, with a chosen environment,
 * bounded in time and output, and ended with everything they forked.
 */
@NullMarked
package dev.holdfast.process;

import org.jspecify.annotations.NullMarked;
