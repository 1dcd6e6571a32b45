/**
 * Patches as models write them: read, checked and applied to a directory by git. Used by the tool
 * {@code apply_patch} and by repairs.
 */
@NullMarked
package dev.holdfast.tool.patch;

import org.jspecify.annotations.NullMarked;
