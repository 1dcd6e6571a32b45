/**
 * All SQL, in packages by duty; here is what they share: the pool, migrations, transactions, and
 * errors of the database. No other package touches JDBC, Jdbi or Flyway.
 */
@NullMarked
package dev.holdfast.postgres;

import org.jspecify.annotations.NullMarked;
