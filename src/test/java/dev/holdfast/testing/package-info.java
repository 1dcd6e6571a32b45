/**
 * What tests share: a real PostgreSQL with one database per class, a server of models, and what is
 * logged.
 */
@NullMarked
package dev.holdfast.testing;

import org.jspecify.annotations.NullMarked;
