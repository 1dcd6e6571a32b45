/** What a session tells its listeners while it runs, and the JSON of it. */
@NullMarked
package dev.holdfast.session.event;

import org.jspecify.annotations.NullMarked;
