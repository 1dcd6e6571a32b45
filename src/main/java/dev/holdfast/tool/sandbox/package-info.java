/** What programs of tools can reach, and how they are confined to it. */
@NullMarked
package dev.holdfast.tool.sandbox;

import org.jspecify.annotations.NullMarked;
