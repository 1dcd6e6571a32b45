package dev.holdfast.architecture;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The imports between packages, as a page with a picture.
 *
 * @param base the package of all
 * @param classes of the program
 */
record ArchitecturePicture(String base, Iterable<JavaClass> classes) {
  /** What programs that embed Holdfast see. */
  private static final String FACADE = "holdfast";

  String page() {
    Map<String, Set<String>> families = imports(ArchitecturePicture::first);
    StringBuilder page =
        new StringBuilder(
            """
            # Architecture

            A test writes this page from the imports of the code and fails while they differ:
            `src/etc/dev.sh ArchitecturePictureTest -Darchitecture.write=true`. What each package is for stands in
            [packages.md](packages.md), what it may import in `ArchitectureRules`.

            An arrow means "imports". The picture leaves out an arrow where a longer way leads to the same package; the table has
            them all. There are no cycles.

            ```mermaid
            graph TD
            """);
    shortest(families)
        .forEach(
            (from, all) ->
                all.forEach(to -> page.append("  ").append(arrow(from, to)).append('\n')));
    page.append("```\n\n| package | imports |\n|---|---|\n");
    families.forEach((from, all) -> page.append(row(from, all)));
    page.append(
        "\n## Inside the larger ones\n\n| package | imports of its own family |\n|---|---|\n");
    inside().forEach((from, all) -> page.append(row(from, all)));
    return page.toString();
  }

  /** Packages with subpackages, and what each of them imports of its family. */
  private Map<String, Set<String>> inside() {
    Map<String, Set<String>> inside = imports(UnaryOperator.identity());
    Set<String> split =
        inside.keySet().stream()
            .filter(name -> name.contains("."))
            .map(ArchitecturePicture::first)
            .collect(Collectors.toSet());
    inside.keySet().removeIf(name -> !split.contains(first(name)));
    inside.forEach((from, all) -> all.removeIf(to -> !first(to).equals(first(from))));
    return inside;
  }

  private static String arrow(String from, String to) {
    return from + " --> " + to;
  }

  private static String row(String from, Set<String> imports) {
    String named = imports.stream().map(each -> "`" + each + "`").collect(Collectors.joining(", "));
    return "| `" + from + "` | " + (named.isEmpty() ? "nothing of ours" : named) + " |\n";
  }

  private Map<String, Set<String>> imports(UnaryOperator<String> group) {
    Map<String, Set<String>> imports = new TreeMap<>();
    for (JavaClass each : classes) {
      String from = group.apply(name(each));
      Set<String> found = imports.computeIfAbsent(from, name -> new TreeSet<>());
      for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
        JavaClass target = dependency.getTargetClass().getBaseComponentType();
        if (target.getPackageName().startsWith(base)) {
          found.add(group.apply(name(target)));
        }
      }
      found.remove(from);
    }
    return imports;
  }

  private String name(JavaClass type) {
    String name = type.getPackageName().substring(base.length());
    return name.isEmpty() ? FACADE : name.substring(1);
  }

  private static String first(String name) {
    return name.replaceFirst("\\..*", "");
  }

  /** Without the arrows that follow from others. */
  static Map<String, Set<String>> shortest(Map<String, Set<String>> imports) {
    Map<String, Set<String>> shortest = new TreeMap<>();
    imports.forEach(
        (from, all) -> {
          Set<String> needed = new TreeSet<>(all);
          all.forEach(each -> needed.removeAll(reached(imports, each)));
          shortest.put(from, needed);
        });
    return shortest;
  }

  private static Set<String> reached(Map<String, Set<String>> imports, String from) {
    Set<String> reached = new HashSet<>();
    for (String each : imports.getOrDefault(from, Set.of())) {
      reached.add(each);
      reached.addAll(reached(imports, each));
    }
    return reached;
  }
}
