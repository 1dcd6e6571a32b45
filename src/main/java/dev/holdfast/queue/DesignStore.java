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

  /** The latest version of each, by name. */
  List<Design> list();

  /** The latest version. */
  Optional<Design> find(String name);

  /**
   * The latest version of a held ticket's design, where that is another one than the ticket's: what
   * {@link TicketDesk#useDesign} would give it.
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
