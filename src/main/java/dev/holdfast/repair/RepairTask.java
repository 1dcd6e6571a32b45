package dev.holdfast.repair;

import java.util.List;

/**
 * The order to a run.
 *
 * @param goal of the design, and of the ticket where its payload has one
 * @param guidance what people have said since, oldest first
 * @param rejected whether a person has refused the last result: what passes is not enough then
 */
public record RepairTask(String goal, List<String> guidance, boolean rejected) {
  public RepairTask {
    guidance = List.copyOf(guidance);
  }
}
