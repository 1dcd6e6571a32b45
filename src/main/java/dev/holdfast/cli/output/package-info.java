/** What every command prints with and answers with: terminal, tables, JSON, words, exit codes. */
@NullMarked
package dev.holdfast.cli.output;

import org.jspecify.annotations.NullMarked;
