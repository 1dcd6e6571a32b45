/** Tools for models, their executor with retry (C), and the workspace they live in. */
@NullMarked
package dev.holdfast.tool;

import org.jspecify.annotations.NullMarked;
