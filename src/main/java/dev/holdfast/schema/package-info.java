/** JSON documents checked against JSON schemas, with findings in words for who wrote them. */
@NullMarked
package dev.holdfast.schema;

import org.jspecify.annotations.NullMarked;
