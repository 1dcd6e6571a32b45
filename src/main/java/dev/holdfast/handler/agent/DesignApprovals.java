package dev.holdfast.handler.agent;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.secret.Secrets;
import dev.holdfast.session.approval.ApprovalStore;
import dev.holdfast.session.approval.Approvals;
import dev.holdfast.session.approval.PendingCall;
import dev.holdfast.ticket.Lease;
import dev.holdfast.ticket.UnreadableJournalException;
import dev.holdfast.tool.CallPreview;
import dev.holdfast.tool.ConfigurationException;
import dev.holdfast.tool.ToolBox;
import dev.holdfast.tool.mcp.McpName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks people about the calls of the tools that a design has under {@code approval}. An approval is
 * bound to the hash of its call, so no other call runs with it.
 */
record DesignApprovals(
    Set<String> tools,
    ToolBox toolBox,
    ApprovalStore store,
    Secrets secrets,
    long ticketId,
    Lease lease)
    implements Approvals {
  private static final int LONGEST_ID = 200;

  /**
   * @param names of tools
   * @param secrets that people are not shown, as they are not kept in the journal
   * @throws ConfigurationException if there is no such tool: a slip must not let one run unseen
   */
  static Approvals of(
      List<String> names,
      ToolBox toolBox,
      ApprovalStore store,
      Secrets secrets,
      long ticketId,
      Lease lease) {
    Set<String> known = new TreeSet<>();
    toolBox.specs().forEach(tool -> known.add(tool.name()));
    for (String name : names) {
      if (!known.contains(name)) {
        throw new ConfigurationException(
            "the design's approval names %s, which its agent does not have: it has %s"
                .formatted(name, String.join(", ", known)));
      }
    }
    return names.isEmpty()
        ? Approvals.NONE
        : new DesignApprovals(Set.copyOf(names), toolBox, store, secrets, ticketId, lease);
  }

  @Override
  public List<Permission> permissions(int answer, int turn, List<ToolCall> calls)
      throws InterruptedException {
    return permissions(
        answer, turn, calls, questions -> store.ask(ticketId, lease.no(), questions));
  }

  @Override
  public List<Permission> decided(int answer, int turn, List<ToolCall> calls)
      throws InterruptedException {
    return permissions(answer, turn, calls, questions -> store.known(ticketId, questions));
  }

  private List<Permission> permissions(
      int answer,
      int turn,
      List<ToolCall> calls,
      Function<List<ApprovalStore.Asked>, List<ApprovalStore.Approval>> answers)
      throws InterruptedException {
    Map<ToolCall, ApprovalStore.Asked> asked = new LinkedHashMap<>();
    List<ToolCall> kept = calls.stream().map(this::asKept).toList();
    for (ToolCall call : kept) {
      if (needsApproval(call.name())) {
        // A call that would be refused before it runs needs no approval.
        toolBox
            .preview(call)
            .ifPresent(preview -> asked.put(call, asked(answer, turn, call, preview)));
      }
    }
    Map<ToolCall, Permission> permissions = new LinkedHashMap<>();
    if (!asked.isEmpty()) {
      List<ToolCall> order = List.copyOf(asked.keySet());
      List<ApprovalStore.Asked> questions = List.copyOf(asked.values());
      List<ApprovalStore.Approval> known = answers.apply(questions);
      for (int i = 0; i < order.size(); i++) {
        permissions.put(order.get(i), permission(order.get(i), questions.get(i), known.get(i)));
      }
    }
    List<Permission> all = new ArrayList<>();
    kept.forEach(
        call -> all.add(permissions.getOrDefault(call, new Permission.Allowed(call, null))));
    return all;
  }

  /** Returns the call without secrets, as the journal shows it to the attempt that runs it. */
  private ToolCall asKept(ToolCall call) {
    return needsApproval(call.name())
        ? new ToolCall(call.id(), call.name(), secrets.redact(call.arguments()))
        : call;
  }

  /**
   * True if a tool needs approval. A server must not avoid it with a second tool whose name becomes
   * the same.
   */
  private boolean needsApproval(String name) {
    return tools.stream().anyMatch(each -> McpName.mayMean(each, name));
  }

  private ApprovalStore.Asked asked(int answer, int turn, ToolCall call, CallPreview preview) {
    String id =
        call.id().length() <= LONGEST_ID && call.id().indexOf('\0') < 0
            ? call.id()
            : CallText.hash("id", call.id());
    return new ApprovalStore.Asked(
        answer,
        turn,
        id,
        call.name(),
        CallText.arguments(call),
        secrets.redact(preview.effect()),
        CallText.shape(call, preview.freeArguments()));
  }

  private Permission permission(
      ToolCall call, ApprovalStore.Asked asked, ApprovalStore.Approval approval) {
    return switch (approval.decision()) {
      case NONE -> new Permission.Waits(new PendingCall(approval.id(), call, asked.effect()));
      case DENIED -> new Permission.Denied(call, denied(call, approval));
      case APPROVED -> approved(call, asked, approval);
    };
  }

  private static String denied(ToolCall call, ApprovalStore.Approval approval) {
    return said(call, approval, "did not allow it, and it was not run");
  }

  /** Says what a person decided. This is a message of its own, so it names the call. */
  private static String said(ToolCall call, ApprovalStore.Approval approval, String decision) {
    String words = approval.words();
    return "Your call %s of %s: a person (%s) %s%s"
        .formatted(
            call.id(),
            call.name(),
            approval.decidedBy(),
            decision,
            words == null ? "." : ", and says:\n" + words);
  }

  private Permission approved(
      ToolCall call, ApprovalStore.Asked asked, ApprovalStore.Approval approval) {
    String edited = approval.arguments();
    String runs = edited == null ? asked.arguments() : edited;
    if (!CallText.hash(call.name(), runs).equals(approval.hash())) {
      throw new UnreadableJournalException(
          ("call %s of ticket %s is not the one that was approved, and does not run: start"
                  + " the session over with holdfast release %s --fresh")
              .formatted(approval.id(), ticketId, ticketId),
          null);
    }
    ToolCall exact = edited == null ? call : new ToolCall(call.id(), call.name(), edited);
    return new Permission.Allowed(exact, note(call, approval, edited));
  }

  private static @Nullable String note(
      ToolCall call, ApprovalStore.Approval approval, @Nullable String edited) {
    String words = approval.words();
    if (edited == null && words == null) {
      return null;
    }
    return said(call, approval, edited == null ? "allowed it" : "changed it, to " + edited);
  }
}
