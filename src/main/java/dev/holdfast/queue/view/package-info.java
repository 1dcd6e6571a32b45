/** What the console shows: read models, and the port they come from. */
@NullMarked
package dev.holdfast.queue.view;

import org.jspecify.annotations.NullMarked;
