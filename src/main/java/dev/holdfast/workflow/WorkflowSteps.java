package dev.holdfast.workflow;

import dev.holdfast.ticket.Design;
import java.util.List;
import java.util.Optional;

/** Reads the steps of workflows for their handler. Thread-safe. */
public interface WorkflowSteps {
  /**
   * The tickets that a workflow's steps have, in the order of their items.
   *
   * @throws dev.holdfast.ticket.InvalidTicketException if their results are too long
   */
  List<StepTicket> tickets(long workflowId);

  /** The latest version of a design. */
  Optional<Design> design(String name);
}
