/** Schedules in the database: what people do with them, and their tickets when they are due. */
@NullMarked
package dev.holdfast.postgres.schedule;

import org.jspecify.annotations.NullMarked;
