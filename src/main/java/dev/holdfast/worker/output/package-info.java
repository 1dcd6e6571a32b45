/** Brings what the programs of running tickets print to where people look, without secrets. */
@NullMarked
package dev.holdfast.worker.output;

import org.jspecify.annotations.NullMarked;
