/** What a worker answers over HTTP: health and metrics. */
@NullMarked
package dev.holdfast.web;

import org.jspecify.annotations.NullMarked;
