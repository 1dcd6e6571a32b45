/** What tests share: a real PostgreSQL with one fresh, migrated database per test class. */
@NullMarked
package dev.holdfast.testing;

import org.jspecify.annotations.NullMarked;
