/** The benchmark's side of the database: its schema, its raw probes and its readings. */
@NullMarked
package dev.holdfast.postgres.bench;

import org.jspecify.annotations.NullMarked;
