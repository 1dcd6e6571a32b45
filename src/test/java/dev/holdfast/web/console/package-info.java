@NullMarked
package dev.holdfast.web.console;

import org.jspecify.annotations.NullMarked;
