@NullMarked
package dev.holdfast.postgres.batch;

import org.jspecify.annotations.NullMarked;
