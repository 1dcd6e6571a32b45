/** The conversation as the model gets it, and how it is kept inside of the model's window. */
@NullMarked
package dev.holdfast.session.context;

import org.jspecify.annotations.NullMarked;
