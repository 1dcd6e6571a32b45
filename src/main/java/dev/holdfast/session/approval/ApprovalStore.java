package dev.holdfast.session.approval;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Asks people for their decision on tool calls, and keeps it. Thread-safe. */
public interface ApprovalStore {
  /** A person's decision. */
  enum Decision {
    NONE,
    APPROVED,
    DENIED;

    /** {@link #NONE} for null. */
    public static Decision ofNullable(@Nullable String wireName) {
      return wireName == null ? NONE : valueOf(wireName.toUpperCase(Locale.ROOT));
    }
  }

  /**
   * A call that a person has to allow.
   *
   * @param answer which answer of the conversation has it, from 1; with the call's id it names the
   *     call for ever
   * @param arguments JSON; the same call always has the same text
   * @param effect what it would do, in words or as a diff; may be empty
   * @param shape equal for calls that a remembered approval may cover
   */
  record Asked(
      int answer,
      int turn,
      String callId,
      String tool,
      String arguments,
      String effect,
      String shape) {}

  /**
   * The state of one approval.
   *
   * @param id its number, for people
   * @param decidedBy null while it waits
   * @param words of the person; null for none
   * @param arguments JSON in the place of the model's; null for none
   * @param hash of the tool's name, a line feed and the arguments that were approved, SHA-256 in
   *     hexadecimal; null where it was not approved
   */
  record Approval(
      long id,
      Decision decision,
      @Nullable String decidedBy,
      @Nullable String words,
      @Nullable String arguments,
      @Nullable String hash) {
    public static final Approval NOT_ASKED = new Approval(0, Decision.NONE, null, null, null, null);
  }

  /**
   * Asks for those that nobody was asked about, and returns what is known of each, in their order.
   *
   * @param leaseNo fences it: a stale attempt asks nobody
   */
  List<Approval> ask(long ticketId, long leaseNo, List<Asked> calls);

  /** Returns what is known of each, in their order; asks nobody. */
  List<Approval> known(long ticketId, List<Asked> calls);
}
