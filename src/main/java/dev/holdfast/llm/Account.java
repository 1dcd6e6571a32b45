package dev.holdfast.llm;

/**
 * One account of a provider: what its limits, its money and its cool-downs belong to.
 *
 * @param provider its name in the configuration
 * @param keyId distinguishes its key from others on every worker: the start of the key's SHA-256,
 *     never the key; {@link #NO_KEY} for a server that wants none
 * @param label what this worker calls the key: key-1 and so on
 */
public record Account(String provider, String keyId, String label) {
  public static final String NO_KEY = "none";
}
