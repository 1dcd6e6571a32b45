/**
 * JSON Schema as people who write designs may use it: their documents load nothing from outside.
 */
@NullMarked
package dev.holdfast.schema;

import org.jspecify.annotations.NullMarked;
