package dev.holdfast.repair;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Stands for git and the verification programs: a {@link OneFileProject}, whose first line decides.
 * With it a run takes a millisecond instead of two seconds, so that one can be cut off behind each
 * of its entries. {@link OneFileWorkbenchIT} holds it to what the real ones answer.
 */
final class OneFileRepository implements RepairRepository {
  private final String content;

  OneFileRepository(String content) {
    this.content = content;
  }

  @Override
  public String baseCommit() {
    return "base";
  }

  @Override
  public Tree baseTree() {
    return new Tree(content, "");
  }

  @Override
  public Verified verify(Tree tree) {
    String first = tree.id().lines().findFirst().orElse("");
    if (first.startsWith("good")) {
      return new Verified(true, "", List.of(), 0, "", false);
    }
    String kind = first.split(" ")[0];
    return new Verified(
        false, "sig-" + kind, List.of("check: " + kind), 1_000_000, "wrong: " + kind, false);
  }

  @Override
  public Optional<String> invalidity(Tree tree, String output, int lane) {
    return output.contains("SEARCH") ? Optional.empty() : Optional.of("no diff in it");
  }

  @Override
  public Trial attempt(Tree tree, String output, int lane) {
    if (!output.contains("SEARCH")) {
      return new Trial.NoDiff("no diff in it");
    }
    String search = output.substring(output.indexOf("SEARCH\n") + 7, output.indexOf("=======\n"));
    String replace =
        output.substring(output.indexOf("=======\n") + 8, output.indexOf(">>>>>>> REPLACE"));
    if (!tree.id().contains(search)) {
      return new Trial.Refused("not found: " + search, "hash " + search);
    }
    if (search.equals(replace)) {
      return new Trial.NoOp();
    }
    String now = tree.id().replace(search, replace);
    int lines = (int) (search.lines().count() + replace.lines().count());
    Tree next = new Tree(now, "+" + now);
    return new Trial.Applied(next, lines, List.of("value.txt"), verify(next));
  }

  @Override
  public Sources sources(Tree tree) {
    return new Sources() {
      @Override
      public List<String> files() {
        return List.of("value.txt");
      }

      @Override
      public Optional<String> text(String path) {
        return Optional.of(tree.id());
      }
    };
  }

  @Override
  public Commit commit(Tree tree, String message, Instant at) {
    return new Commit("holdfast/ticket-17", "c0ffee", at.getEpochSecond());
  }
}
