/** The journal of a session, from which another process goes on where it stopped. */
@NullMarked
package dev.holdfast.session.journal;

import org.jspecify.annotations.NullMarked;
