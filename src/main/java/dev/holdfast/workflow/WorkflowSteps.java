package dev.holdfast.workflow;

import dev.holdfast.ticket.Design;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads the steps of workflows for their handler. Thread-safe. */
public interface WorkflowSteps {
  /**
   * Returns the tickets that a workflow's steps have, in the order of their items.
   *
   * @param uses for each step, the steps whose results it uses
   * @throws dev.holdfast.ticket.InvalidInputException if the results that steps use which have not
   *     begun are too long
   */
  List<StepTicket> tickets(long workflowId, Map<String, Set<String>> uses);

  /** Returns the latest version of a design. */
  Optional<Design> design(String name);
}
