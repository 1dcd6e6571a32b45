@NullMarked
package dev.holdfast.tool;

import org.jspecify.annotations.NullMarked;
