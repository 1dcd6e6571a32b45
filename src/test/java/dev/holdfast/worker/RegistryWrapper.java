package dev.holdfast.worker;

import dev.holdfast.queue.WorkerRegistry;

/** Passes everything on. */
class RegistryWrapper implements WorkerRegistry {
  private final WorkerRegistry registry;

  RegistryWrapper(WorkerRegistry registry) {
    this.registry = registry;
  }

  @Override
  public void register(Registration registration) {
    registry.register(registration);
  }

  @Override
  public void update(String workerId, State state) {
    registry.update(workerId, state);
  }

  @Override
  public void wantsWakeUp(String workerId, boolean wanted) {
    registry.wantsWakeUp(workerId, wanted);
  }
}
