package dev.holdfast.handler.repair;

import dev.holdfast.handler.design.DesignPatch;
import dev.holdfast.handler.design.DesignTarget;
import dev.holdfast.repair.RepairSettings;
import dev.holdfast.repair.git.RepositorySource;
import dev.holdfast.repair.verify.VerifyCommand;
import dev.holdfast.retry.DurationText;
import dev.holdfast.ticket.Review;
import dev.holdfast.tool.patch.PatchLimits;
import dev.holdfast.tool.sandbox.Network;
import dev.holdfast.worker.ReviewRule;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A design of kind {@code repair}.
 *
 * @param goal in words; default {@link #DEFAULT_GOAL}
 * @param verify at least one command
 * @param targets at least one, asked in their order
 * @param patch what patches of models may change
 * @param network what the verification may reach
 * @param onApprove what becomes of an approved result
 * @param review what a success waits for; default a person
 */
record RepairDesign(
    RepositorySource repository,
    String goal,
    List<VerifyCommand> verify,
    List<DesignTarget> targets,
    PatchLimits patch,
    Network network,
    RepairSettings settings,
    Delivery onApprove,
    ReviewRule review) {
  static final String DEFAULT_GOAL = "Make the verification pass.";

  /** The place that an approved result is brought to. */
  enum Delivery {
    /** The result stays on its branch. */
    NONE,
    MERGE,
    PUSH
  }

  RepairDesign {
    verify = List.copyOf(verify);
    targets = List.copyOf(targets);
  }

  /**
   * Makes one for a document that is valid by its schema.
   *
   * @param usual what holds where the design says nothing
   * @throws dev.holdfast.repair.git.RepositoryException if the path, the URL or the ref is no good
   */
  static RepairDesign of(JsonNode document, RepairSettings usual) {
    return new RepairDesign(
        repository(document.path("repository")),
        document.path("goal").asString(DEFAULT_GOAL),
        document.path("verify").valueStream().map(RepairDesign::command).toList(),
        DesignTarget.of(document.path("targets")),
        DesignPatch.limits(document),
        Network.of(document.path("network"), Network.NONE),
        settings(document, usual),
        switch (document.path("on_approve").asString("none")) {
          case "merge" -> Delivery.MERGE;
          case "push" -> Delivery.PUSH;
          default -> Delivery.NONE;
        },
        ReviewRule.of(document.path("review"), Review.HUMAN));
  }

  private static RepositorySource repository(JsonNode node) {
    String ref = node.path("ref").asString("HEAD");
    return node.has("path")
        ? RepositorySource.local(node.path("path").asString(), ref)
        : RepositorySource.remote(node.path("url").asString(), ref);
  }

  private static VerifyCommand command(JsonNode node) {
    return new VerifyCommand(
        node.path("name").asString(),
        node.path("command").valueStream().map(JsonNode::asString).toList(),
        duration(node.path("timeout"), VerifyCommand.DEFAULT_TIMEOUT),
        node.has("junit") ? Optional.of(node.get("junit").asString()) : Optional.empty());
  }

  private static RepairSettings settings(JsonNode document, RepairSettings usual) {
    return new RepairSettings(
        limits(document.path("limits"), usual.limits()),
        escalation(document.path("escalation"), usual.escalation()),
        candidates(document.path("l3"), usual.l3()),
        diagnosis(
            document.path("diagnosis"),
            diagnosis(document.path("l3").path("diagnosis"), usual.diagnosis())),
        usual.jsonRetries());
  }

  private static RepairSettings.Limits limits(JsonNode node, RepairSettings.Limits usual) {
    return new RepairSettings.Limits(
        node.path("max_iterations").asInt(usual.maxIterations()),
        duration(node.path("max_duration"), usual.maxDuration()),
        node.path("max_calls").asInt(usual.maxCalls()),
        node.has("max_cost_usd") ? node.get("max_cost_usd").decimalValue() : null,
        duration(node.path("llm_timeout"), usual.llmTimeout()),
        node.has("max_output_tokens")
            ? Integer.valueOf(node.get("max_output_tokens").asInt())
            : null);
  }

  private static RepairSettings.Escalation escalation(
      JsonNode node, RepairSettings.Escalation usual) {
    return new RepairSettings.Escalation(
        node.path("enabled").asBoolean(usual.enabled()),
        node.path("to_l3_after_non_improving_iterations")
            .asInt(usual.toL3AfterNonImprovingIterations()),
        node.path("to_l3_after_patch_apply_failures").asInt(usual.toL3AfterPatchApplyFailures()),
        node.path("max_escalations").asInt(usual.maxEscalations()));
  }

  private static RepairSettings.Candidates candidates(
      JsonNode node, RepairSettings.Candidates usual) {
    return new RepairSettings.Candidates(
        node.path("best_of_n").asInt(usual.bestOfN()),
        node.path("enable_reviewer").asBoolean(usual.enableReviewer()),
        node.path("enable_judge").asBoolean(usual.enableJudge()),
        node.path("max_attempts").asInt(usual.maxAttempts()));
  }

  private static RepairSettings.Diagnosis diagnosis(JsonNode node, RepairSettings.Diagnosis usual) {
    return new RepairSettings.Diagnosis(
        node.path("enabled").asBoolean(usual.enabled()),
        node.path("trigger_on_repeated_failures").asInt(usual.triggerOnRepeatedFailures()),
        node.path("max_tot_branches").asInt(usual.maxTotBranches()));
  }

  private static Duration duration(JsonNode node, Duration otherwise) {
    return node.stringValueOpt().map(DurationText::parse).orElse(otherwise);
  }
}
