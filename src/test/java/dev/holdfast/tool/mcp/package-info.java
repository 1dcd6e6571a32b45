@NullMarked
package dev.holdfast.tool.mcp;

import org.jspecify.annotations.NullMarked;
