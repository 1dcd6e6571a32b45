/** The tools of MCP servers, over stdio and streamable HTTP. */
@NullMarked
package dev.holdfast.tool.mcp;

import org.jspecify.annotations.NullMarked;
