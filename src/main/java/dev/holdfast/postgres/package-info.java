/**
 * Everything that speaks SQL: the queue's ports on PostgreSQL, pool, migrations, LISTEN, embedded
 * server.
 */
@NullMarked
package dev.holdfast.postgres;

import org.jspecify.annotations.NullMarked;
