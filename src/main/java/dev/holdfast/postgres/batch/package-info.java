/** Batches and releases in steps, in the database. */
@NullMarked
package dev.holdfast.postgres.batch;

import org.jspecify.annotations.NullMarked;
