/** Reading for the console: rows, and the port they come from. */
@NullMarked
package dev.holdfast.queue.view;

import org.jspecify.annotations.NullMarked;
