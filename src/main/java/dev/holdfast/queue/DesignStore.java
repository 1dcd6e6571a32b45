package dev.holdfast.queue;

import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.TicketState;
import java.util.List;
import java.util.Optional;

/** The stored designs. Versions are added, never changed. Thread-safe. */
public interface DesignStore {
  /**
   * Stores a new version, unless the latest one is the same document: then that one is returned.
   *
   * @param definition JSON text, already validated
   */
  Design put(String name, String kind, String definition, String actor);

  /** Returns the latest version of each design, by name. */
  List<Design> list();

  /** Returns the latest version. */
  Optional<Design> find(String name);

  /**
   * Returns the latest version of a held ticket's design, if the ticket has another version: the
   * one that {@link TicketDesk#useDesign} would give it.
   */
  default Optional<Integer> newerFor(TicketRow ticket) {
    String name = ticket.design();
    Integer version = ticket.designVersion();
    if (name == null || version == null || !ticket.state().equals(TicketState.ON_HOLD.wireName())) {
      return Optional.empty();
    }
    return find(name).map(Design::version).filter(latest -> latest > version);
  }
}
