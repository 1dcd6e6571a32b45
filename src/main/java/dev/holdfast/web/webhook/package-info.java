/** Notices for people, posted to the webhook that is configured. */
@NullMarked
package dev.holdfast.web.webhook;

import org.jspecify.annotations.NullMarked;
