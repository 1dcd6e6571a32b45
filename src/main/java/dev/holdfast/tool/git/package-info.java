/** Git as a child process that no repository's configuration can make run anything else. */
@NullMarked
package dev.holdfast.tool.git;

import org.jspecify.annotations.NullMarked;
