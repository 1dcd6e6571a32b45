/** The PostgreSQL server that Holdfast brings along: its files, its start, its end. */
@NullMarked
package dev.holdfast.postgres.embedded;

import org.jspecify.annotations.NullMarked;
