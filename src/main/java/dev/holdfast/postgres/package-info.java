/**
 * All SQL, in packages by duty; here is what they share: the pool, migrations, transactions, errors
 * of the database, text that can be stored.
 */
@NullMarked
package dev.holdfast.postgres;

import org.jspecify.annotations.NullMarked;
