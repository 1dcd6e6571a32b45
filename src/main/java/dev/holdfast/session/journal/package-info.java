/** What a session writes down, so that another process goes on where it stopped. */
@NullMarked
package dev.holdfast.session.journal;

import org.jspecify.annotations.NullMarked;
