/** The console: pages that are rendered here and read without JavaScript. */
@NullMarked
package dev.holdfast.web.console;

import org.jspecify.annotations.NullMarked;
