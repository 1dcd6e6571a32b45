package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.handler.design.ForeignDesign;
import dev.holdfast.handler.design.ValidDesign;
import dev.holdfast.queue.takeover.SourceDesign;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.InvalidInputException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Decides what each design of a source becomes: what people chose, otherwise what its definition
 * says.
 *
 * @param stored the latest version of a design of ours by its name
 * @param chosenDesigns a design of ours by the label of a source's
 * @param chosenKinds a kind by the label of a source's design
 */
record ImportDesigns(
    Function<String, Optional<Design>> stored,
    Map<String, String> chosenDesigns,
    Map<String, String> chosenKinds) {
  /** The target of a source's design. */
  sealed interface Fate {
    /** Its tickets get this design of ours. */
    record Ours(Design design) implements Fate {}

    /** It is to be stored under its name. */
    record ToStore(String name, ValidDesign design) implements Fate {}

    /** Its tickets get this kind, and no design. */
    record OnlyKind(String kind) implements Fate {}

    /** Its tickets are not imported. */
    record Unknown(String why) implements Fate {}
  }

  /** Returns what the designs become, in their order. */
  List<Fate> fates(List<SourceDesign> designs) {
    requireKnown("--design", chosenDesigns, designs);
    requireKnown("--map-kind", chosenKinds, designs);
    List<Fate> fates = new ArrayList<>();
    for (SourceDesign design : designs) {
      fates.add(fate(design));
    }
    return fates;
  }

  private static void requireKnown(
      String option, Map<String, String> chosen, List<SourceDesign> designs) {
    Set<String> known =
        designs.stream().map(SourceDesign::label).collect(Collectors.toCollection(TreeSet::new));
    for (String label : chosen.keySet()) {
      if (!known.contains(label)) {
        throw new UsageException(
            "%s: no ticket there has the design \"%s\"; there are: %s"
                .formatted(option, PlainText.cut(label, 60), String.join(", ", known)));
      }
    }
  }

  private Fate fate(SourceDesign source) {
    String design = chosenDesigns.get(source.label());
    if (design != null) {
      return new Fate.Ours(
          stored
              .apply(design)
              .orElseThrow(
                  () ->
                      new UsageException(
                          "--design: there is no design \""
                              + PlainText.cut(design, 60)
                              + "\"; store it with: holdfast design put NAME --file F")));
    }
    String kind = chosenKinds.get(source.label());
    if (kind != null) {
      if (!kind.matches("[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}")) {
        throw new UsageException(
            "--map-kind: \""
                + PlainText.cut(kind, 60)
                + "\" is no kind: letters, digits and . _ : / -");
      }
      return new Fate.OnlyKind(kind);
    }
    return byDefinition(source);
  }

  private Fate byDefinition(SourceDesign source) {
    String name = source.name();
    String definition = source.definition();
    if (name == null) {
      return new Fate.Unknown(
          source.key().isEmpty()
              ? "no design; where a ticket has a plain kind it keeps that"
              : "there is no such design, or more than one");
    }
    if (definition == null) {
      return new Fate.Unknown("it has no definition");
    }
    if (!name.matches("[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}")) {
      return new Fate.Unknown("its name is not plain");
    }
    ValidDesign valid;
    try {
      valid = ForeignDesign.read(definition);
    } catch (InvalidInputException e) {
      return new Fate.Unknown(PlainText.cut(String.valueOf(e.getMessage()), 200));
    }
    Optional<Design> ours = stored.apply(name);
    if (ours.isEmpty()) {
      return new Fate.ToStore(name, valid);
    }
    return isSame(ours.get().definition(), valid.definition())
        ? new Fate.Ours(ours.get())
        : new Fate.Unknown("Holdfast has another design of this name");
  }

  private static boolean isSame(String stored, String definition) {
    JsonMapper json = JsonMapper.shared();
    try {
      return json.readTree(stored).equals(json.readTree(definition));
    } catch (JacksonException e) {
      return false;
    }
  }
}
