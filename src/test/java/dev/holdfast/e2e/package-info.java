/**
 * End-to-end tests: the packaged program as real processes against a real PostgreSQL, judged by
 * exit codes, output, HTTP and the rows that SQL finds.
 */
@NullMarked
package dev.holdfast.e2e;

import org.jspecify.annotations.NullMarked;
