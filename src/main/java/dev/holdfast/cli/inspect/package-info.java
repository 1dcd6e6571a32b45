/**
 * Commands that read and explain: lists, one ticket, what happens now, classifications and runs.
 */
@NullMarked
package dev.holdfast.cli.inspect;

import org.jspecify.annotations.NullMarked;
