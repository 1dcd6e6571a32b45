/** JSON documents checked against JSON schemas, with findings in words for their authors. */
@NullMarked
package dev.holdfast.schema;

import org.jspecify.annotations.NullMarked;
