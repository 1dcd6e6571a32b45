/**
 * Programs as children of the worker: in a session of their own, bounded in time and output, and
 * ended with all that they forked.
 */
@NullMarked
package dev.holdfast.process;

import org.jspecify.annotations.NullMarked;
