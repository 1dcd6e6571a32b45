/** The sandbox: which files and hosts the programs of tools can reach. */
@NullMarked
package dev.holdfast.tool.sandbox;

import org.jspecify.annotations.NullMarked;
