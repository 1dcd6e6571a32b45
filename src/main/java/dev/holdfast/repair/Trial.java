package dev.holdfast.repair;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;

/** The result of trying a model's output on a tree. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "outcome")
@JsonSubTypes({
  @JsonSubTypes.Type(value = Trial.NoDiff.class, name = "no_diff"),
  @JsonSubTypes.Type(value = Trial.NoOp.class, name = "no_op"),
  @JsonSubTypes.Type(value = Trial.Refused.class, name = "refused"),
  @JsonSubTypes.Type(value = Trial.Applied.class, name = "applied")
})
public sealed interface Trial {
  /** The output has nothing that could be applied (E22). */
  record NoDiff(String why) implements Trial {}

  /** The output has a patch that changes nothing: it applied, and the tree is as it was (E44). */
  record NoOp() implements Trial {}

  /**
   * The output has a patch that does not apply; the tree is as it was.
   *
   * @param errorHash equal for equal errors (E34)
   */
  record Refused(String why, String errorHash) implements Trial {}

  /**
   * The patch applied, and was verified.
   *
   * @param tree with the patch
   * @param lines that the patch adds and removes
   * @param files that it changes
   */
  record Applied(Tree tree, int lines, List<String> files, Verified verified) implements Trial {
    public Applied {
      files = List.copyOf(files);
    }
  }
}
