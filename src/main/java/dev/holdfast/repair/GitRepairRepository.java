package dev.holdfast.repair;

import dev.holdfast.failure.Sha256;
import dev.holdfast.failure.ShortText;
import dev.holdfast.process.ProgramFinder;
import dev.holdfast.repair.git.DiffTooLargeException;
import dev.holdfast.repair.git.TicketRepository;
import dev.holdfast.repair.git.Worktree;
import dev.holdfast.repair.verify.CheckRun;
import dev.holdfast.repair.verify.Verification;
import dev.holdfast.repair.verify.Verifier;
import dev.holdfast.repair.verify.VerifyCommand;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.tool.git.Git;
import dev.holdfast.tool.patch.PatchApplier;
import dev.holdfast.tool.patch.PatchLimits;
import dev.holdfast.tool.patch.PatchResult;
import dev.holdfast.tool.patch.PatchValidity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** A workbench on a ticket's repository: a worktree for each lane, made when it is needed. */
public final class GitRepairRepository implements RepairRepository {
  /** The number of failures that counts for a command that fails without saying which tests do. */
  private static final long UNTOLD = 1_000_000;

  /** The id of the tree without files, which every repository knows. */
  private static final String EMPTY_SHA1 = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

  private static final String EMPTY_SHA256 =
      "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

  private static final int OUTPUT_CHARS = 12_000;
  private static final int NAMED = 100;
  private static final int NAME_CHARS = 300;
  private static final String ATTRIBUTES = ".gitattributes";

  /** The tools that change and check the files. */
  public record Tools(Git git, Verifier verifier) {}

  private final TicketRepository repository;
  private final Tools tools;
  private final List<VerifyCommand> commands;
  private final PatchApplier applier;
  private final Map<Integer, Worktree> worktrees = new ConcurrentHashMap<>();

  /** The tree of each lane's files, as long as nothing has changed them or run among them. */
  private final Map<Integer, String> untouched = new ConcurrentHashMap<>();

  /**
   * @param repository stays the caller's to close
   * @param limits of models' patches
   * @param commands the verification, in order
   */
  public GitRepairRepository(
      TicketRepository repository, Tools tools, PatchLimits limits, List<VerifyCommand> commands) {
    this.repository = repository;
    this.tools = tools;
    this.commands = List.copyOf(commands);
    this.applier = new PatchApplier(tools.git(), limits);
  }

  @Override
  public String baseCommit() {
    return repository.baseCommit();
  }

  @Override
  public Tree baseTree() {
    return new Tree(repository.baseTree(), "");
  }

  @Override
  public Verified verify(Tree tree) throws IOException, InterruptedException {
    Worktree worktree = toTouch(tree, 0);
    Verification result = verification(worktree, worktree.snapshot());
    if (tree.diff().isEmpty() && !result.flaky()) {
      requireTests(result);
    }
    return verified(result);
  }

  /**
   * Refuses a design at fault: without a patch yet, nothing fails but that no report has a test.
   * Any answer of a model would be paid for in vain.
   */
  private static void requireTests(Verification result) {
    List<CheckRun> failed = result.runs().stream().filter(each -> !each.passed()).toList();
    if (!failed.isEmpty() && failed.stream().allMatch(CheckRun::lacksTests)) {
      CheckRun first = failed.getFirst();
      throw new InvalidInputException(
          ("%s exits with 0, but %s: correct junit in the design's verify, or have the command"
                  + " write its reports there")
              .formatted(first.name(), first.failing().getFirst().message()));
    }
  }

  @Override
  public Optional<String> invalidity(Tree tree, String output, int lane)
      throws IOException, InterruptedException {
    return switch (applier.validate(at(tree, lane).directory(), output)) {
      case PatchValidity.Valid valid -> Optional.empty();
      case PatchValidity.Invalid invalid ->
          invalid.rejection().kind().isInvalid()
              ? Optional.of(invalid.rejection().explanation())
              : Optional.empty();
    };
  }

  @Override
  public Trial attempt(Tree tree, String output, int lane)
      throws IOException, InterruptedException {
    Worktree worktree = toTouch(tree, lane);
    return switch (applier.apply(worktree.directory(), output)) {
      case PatchResult.NoOp none -> new Trial.NoOp();
      case PatchResult.Rejected rejected -> refused(rejected);
      case PatchResult.Applied applied -> tried(worktree, tree, applied);
    };
  }

  private Trial tried(Worktree worktree, Tree tree, PatchResult.Applied applied)
      throws IOException, InterruptedException {
    List<String> foreign = worktree.inSubmodules(tree.id(), applied.filesChanged());
    if (!foreign.isEmpty()) {
      for (String each : foreign) {
        Files.deleteIfExists(worktree.directory().resolve(each)); // git cleans no submodule
      }
      String why = foreign.getFirst() + " is in a submodule. Nothing was changed.";
      return new Trial.Refused(why, Sha256.hex(why));
    }
    String id;
    try {
      id = worktree.snapshotOf(applied.filesChanged());
    } catch (IOException e) {
      if (applied.filesChanged().stream().noneMatch(each -> each.endsWith(ATTRIBUTES))) {
        throw e;
      }
      String why = "With its " + ATTRIBUTES + " the files cannot be committed: " + e.getMessage();
      return new Trial.Refused(why, Sha256.hex(why));
    }
    String diff;
    try {
      diff = repository.diff(repository.baseTree(), id);
    } catch (DiffTooLargeException e) {
      String why = "With this patch " + e.getMessage() + ": change less. Nothing was changed.";
      return new Trial.Refused(why, Sha256.hex(why));
    }
    Verified verified = verified(verification(worktree, id));
    return new Trial.Applied(new Tree(id, diff), applied.size(), applied.filesChanged(), verified);
  }

  private static Trial refused(PatchResult.Rejected rejected) throws IOException {
    return switch (rejected.kind()) {
      case NO_DIFF -> new Trial.NoDiff(rejected.explanation());
      case MALFORMED, UNSAFE, TOO_LARGE, DOES_NOT_APPLY ->
          new Trial.Refused(rejected.explanation(), rejected.errorHash());
      case GIT_FAILED -> throw new IOException(rejected.explanation());
    };
  }

  private Verification verification(Worktree worktree, String tree)
      throws IOException, InterruptedException {
    for (VerifyCommand each : commands) {
      requireProgram(each, worktree.directory());
    }
    return tools.verifier().verify(worktree, tree, commands, Verifier.Success.SEEN_TWICE);
  }

  /**
   * Requires that a program is on the PATH or at its absolute path. Its absence is this machine's
   * fault: no patch could fix that, and none tried here would pass. A path inside the repository is
   * up to the patch.
   */
  private void requireProgram(VerifyCommand check, Path directory) throws IOException {
    String program = check.command().getFirst();
    if (program.contains("/") && !program.startsWith("/")) {
      return;
    }
    try {
      ProgramFinder.check(program, directory, tools.verifier().environment().get("PATH"));
    } catch (IOException e) {
      throw new IOException(check.name() + ": " + e.getMessage(), e);
    }
  }

  private static Verified verified(Verification result) {
    return new Verified(
        result.passed(),
        result.failureSignature().orElse(""),
        result.failing().stream()
            .limit(NAMED)
            .map(each -> ShortText.of(each.command() + ": " + each.name(), NAME_CHARS))
            .toList(),
        result.passed() ? 0 : failures(result),
        result.passed() ? "" : result.report(OUTPUT_CHARS),
        result.flaky());
  }

  private static long failures(Verification result) {
    long failures = 0;
    for (CheckRun run : result.runs()) {
      if (!run.passed()) {
        failures += run.tests() == 0 ? UNTOLD : Math.max(1, run.failing().size());
      }
    }
    return Math.max(1, failures);
  }

  @Override
  public Sources sources(Tree tree) throws IOException, InterruptedException {
    Worktree worktree = at(tree, 0);
    String empty = tree.id().length() == EMPTY_SHA1.length() ? EMPTY_SHA1 : EMPTY_SHA256;
    return WorktreeSources.of(worktree.directory(), worktree.changes(empty, tree.id()));
  }

  @Override
  public Commit commit(Tree tree, String message, Instant at)
      throws IOException, InterruptedException {
    // The tree is made here where an earlier attempt was on another machine.
    at(tree, 0);
    String commit = repository.commit(tree.id(), message, at);
    return new Commit(repository.branch(), commit, at.getEpochSecond());
  }

  /**
   * Returns the lane's worktree in that state. A tree from an attempt on another machine is rebuilt
   * from its diff.
   */
  private Worktree at(Tree tree, int lane) throws IOException, InterruptedException {
    Worktree worktree = worktrees.get(lane);
    if (worktree == null) {
      worktree = repository.worktree("lane-" + (lane + 1), repository.baseTree());
      worktrees.put(lane, worktree);
      untouched.put(lane, repository.baseTree());
    }
    if (tree.id().equals(untouched.get(lane))) {
      return worktree;
    }
    untouched.remove(lane);
    try {
      worktree.restore(tree.id());
      untouched.put(lane, tree.id());
    } catch (IOException missing) {
      rebuild(worktree, tree, lane, missing);
    }
    return worktree;
  }

  /** Returns the same for a caller that changes the files or runs programs among them. */
  private Worktree toTouch(Tree tree, int lane) throws IOException, InterruptedException {
    Worktree worktree = at(tree, lane);
    untouched.remove(lane);
    return worktree;
  }

  private void rebuild(Worktree worktree, Tree tree, int lane, IOException missing)
      throws IOException, InterruptedException {
    if (tree.diff().isEmpty()) {
      throw missing;
    }
    worktree.restore(repository.baseTree());
    String made = worktree.make(tree.diff());
    if (!made.equals(tree.id())) {
      throw new IOException("the patch so far cannot be made again on this machine", missing);
    }
    worktree.restore(made);
    untouched.put(lane, made);
  }
}
