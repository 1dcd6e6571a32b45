package dev.holdfast.web.console;

import dev.holdfast.queue.read.DesignHealth;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The form for a new ticket.
 *
 * @param draft what stands in its fields
 * @param again the ticket that it is a copy of; null for none
 * @param problem why it was not enqueued; null where nobody has tried
 * @param once the key of the form: sent twice it makes one ticket
 */
public record EnqueuePage(
    Page page,
    Draft draft,
    @Nullable Long again,
    @Nullable String problem,
    String once,
    List<DesignHealth> designs,
    List<String> queues) {
  public EnqueuePage {
    designs = List.copyOf(designs);
    queues = List.copyOf(queues);
  }

  /** The fields as people type them; "" for nothing. */
  public record Draft(
      String design, String kind, String title, String queue, String priority, String payload) {}
}
