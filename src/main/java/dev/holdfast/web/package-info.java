/** The HTTP port: API, events, health and metrics. */
@NullMarked
package dev.holdfast.web;

import org.jspecify.annotations.NullMarked;
