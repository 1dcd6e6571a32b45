/** Events of a session for its listeners, and their JSON. */
@NullMarked
package dev.holdfast.session.event;

import org.jspecify.annotations.NullMarked;
