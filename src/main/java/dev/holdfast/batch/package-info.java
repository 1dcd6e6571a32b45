/** Work on many tickets as one: batches, and releases that go step by step. */
@NullMarked
package dev.holdfast.batch;

import org.jspecify.annotations.NullMarked;
