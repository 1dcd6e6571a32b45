@NullMarked
package dev.holdfast.schema;

import org.jspecify.annotations.NullMarked;
