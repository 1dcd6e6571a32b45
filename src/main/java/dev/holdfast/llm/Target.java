package dev.holdfast.llm;

/**
 * The model that a call goes to.
 *
 * @param provider a name under {@code providers} in the configuration
 * @param model the provider's own name for the model
 */
public record Target(String provider, String model) {
  @Override
  public String toString() {
    return provider + "/" + model;
  }
}
