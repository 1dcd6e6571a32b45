/** Reading and checking design documents. */
@NullMarked
package dev.holdfast.handler.design;

import org.jspecify.annotations.NullMarked;
