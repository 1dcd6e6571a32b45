/** The commands as tools of an MCP server on standard input and output. */
@NullMarked
package dev.holdfast.cli.mcp;

import org.jspecify.annotations.NullMarked;
