/**
 * What people and programs bring in: new tickets, imports and copies, actions on tickets, designs.
 */
@NullMarked
package dev.holdfast.postgres.inbox;

import org.jspecify.annotations.NullMarked;
