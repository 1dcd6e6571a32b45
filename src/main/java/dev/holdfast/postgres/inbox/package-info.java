/** Writing by people and programs: new tickets, imports and copies, actions on tickets, designs. */
@NullMarked
package dev.holdfast.postgres.inbox;

import org.jspecify.annotations.NullMarked;
