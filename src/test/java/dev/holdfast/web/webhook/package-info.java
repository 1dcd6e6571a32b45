/** Tests of the webhook without a database. */
@NullMarked
package dev.holdfast.web.webhook;

import org.jspecify.annotations.NullMarked;
