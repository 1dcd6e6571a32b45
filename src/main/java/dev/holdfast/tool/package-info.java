/** Tools for models, their executor with retry, and the workspace they live in. */
@NullMarked
package dev.holdfast.tool;

import org.jspecify.annotations.NullMarked;
