/** The tools that every agent may have: files, search, programs and patches of one directory. */
@NullMarked
package dev.holdfast.tool.workspace;

import org.jspecify.annotations.NullMarked;
