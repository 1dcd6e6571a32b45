@NullMarked
package dev.holdfast.tool.workspace;

import org.jspecify.annotations.NullMarked;
