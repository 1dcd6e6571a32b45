package dev.holdfast.cli.ticket;

import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.ByOption;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.TicketDesk;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command that changes tickets by their ids. */
@Command
final class TicketChange implements Callable<Integer> {
  /** Changes one ticket. */
  @FunctionalInterface
  interface Change {
    /**
     * @param text the text that was given with the change; empty where the command has none
     */
    void apply(TicketDesk desk, long ticketId, String by, String text);
  }

  private final HoldfastCommand root;
  private final String done;
  private final Change change;
  private final @Nullable OptionSpec text;

  @Parameters(paramLabel = "ID", arity = "1..*", description = "The tickets.")
  private List<String> ids = List.of();

  @Mixin private final ByOption by = new ByOption();

  @Option(names = "--json", description = "Print a JSON object with what was done and refused.")
  private boolean json;

  private TicketChange(
      HoldfastCommand root, String done, @Nullable OptionSpec text, Change change) {
    this.root = root;
    this.done = done;
    this.text = text;
    this.change = change;
  }

  /**
   * Makes a command without a text.
   *
   * @param done what is done, in the past: {@code approved}
   */
  static CommandLine of(HoldfastCommand root, String done, Change change) {
    return new CommandLine(new TicketChange(root, done, null, change));
  }

  /**
   * Makes a command that needs a text.
   *
   * @param done what is done, in the past: {@code held}
   * @param option the option that gives the text, or {@code @FILE}
   */
  static CommandLine withText(
      HoldfastCommand root, String done, String option, String meaning, Change change) {
    OptionSpec text =
        OptionSpec.builder(option)
            .paramLabel("TEXT|@FILE")
            .type(String.class)
            .required(true)
            .description(meaning)
            .build();
    CommandLine line = new CommandLine(new TicketChange(root, done, text, change));
    line.getCommandSpec().addOption(text);
    return line;
  }

  @Override
  public Integer call() {
    List<Long> numbers = ids.stream().map(Words::id).distinct().toList();
    String words =
        text == null
            ? ""
            : Words.textOrFile("the text", text.<String>getValue(), root.terminal().in());
    String actor = by.name(root);
    try (Backend backend = root.open()) {
      TicketDesk desk = numbers.size() > 1 ? backend.desk().asOneOrder() : backend.desk();
      return new TicketAction(root.terminal(), done, json)
          .run(numbers.iterator(), id -> change.apply(desk, id, actor, words));
    }
  }
}
