/**
 * The configuration: one table of keys as data ({@link dev.holdfast.config.Keys}), a loader, and
 * immutable records with checked values. Flag beats environment beats file beats default.
 */
@NullMarked
package dev.holdfast.config;

import org.jspecify.annotations.NullMarked;
