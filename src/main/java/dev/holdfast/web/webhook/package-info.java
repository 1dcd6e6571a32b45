/** Notices for people, by webhook and by mail. */
@NullMarked
package dev.holdfast.web.webhook;

import org.jspecify.annotations.NullMarked;
