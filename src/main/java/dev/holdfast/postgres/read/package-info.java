/**
 * Reading for people and programs: lists, the console's pages, feeds, notices of holds, the
 * checkup.
 */
@NullMarked
package dev.holdfast.postgres.read;

import org.jspecify.annotations.NullMarked;
