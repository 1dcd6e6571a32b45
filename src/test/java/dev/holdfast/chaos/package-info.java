/**
 * Faults made on purpose: real worker processes on a PostgreSQL of their own, a load, something
 * that goes wrong, and a ledger that says what became of every ticket. How to run a cell is in
 * {@code docs/reliability.md}.
 */
@NullMarked
package dev.holdfast.chaos;

import org.jspecify.annotations.NullMarked;
