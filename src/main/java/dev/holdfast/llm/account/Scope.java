package dev.holdfast.llm.account;

import dev.holdfast.llm.Account;
import java.util.List;

/**
 * The provider, account or model that a cool-down is for.
 *
 * @param keyId "" for the provider as a whole
 * @param model "" for all models
 */
public record Scope(String provider, String keyId, String model) {
  static Scope ofProvider(String provider) {
    return new Scope(provider, "", "");
  }

  static Scope ofAccount(Account account) {
    return new Scope(account.provider(), account.keyId(), "");
  }

  static Scope ofModel(Account account, String model) {
    return new Scope(account.provider(), account.keyId(), model);
  }

  /** Returns all scopes that a call of a model under an account depends on. */
  static List<Scope> around(Account account, String model) {
    return List.of(ofProvider(account.provider()), ofAccount(account), ofModel(account, model));
  }

  /** The scope as in {@code ticket_waits.scopes}. */
  public String text() {
    return provider + "/" + keyId + "/" + model;
  }

  /** The scope in words for people. */
  String words() {
    return provider
        + (keyId.isEmpty() ? "" : " key " + keyId)
        + (model.isEmpty() ? "" : " model " + model);
  }
}
