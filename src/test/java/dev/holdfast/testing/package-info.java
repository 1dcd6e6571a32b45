/** What tests share: a real PostgreSQL with one database per class, and a server of models. */
@NullMarked
package dev.holdfast.testing;

import org.jspecify.annotations.NullMarked;
