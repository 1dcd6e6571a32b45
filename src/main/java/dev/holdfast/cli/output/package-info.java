/** Output of all commands: terminal, tables, JSON, words, exit codes. */
@NullMarked
package dev.holdfast.cli.output;

import org.jspecify.annotations.NullMarked;
