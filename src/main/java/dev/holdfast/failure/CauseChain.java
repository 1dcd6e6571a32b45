package dev.holdfast.failure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An exception and its causes, outermost first; cycles and too deep chains are cut. */
final class CauseChain {
  private static final int MAX_LINKS = 50;

  private CauseChain() {}

  static List<Throwable> of(@Nullable Throwable outermost) {
    List<Throwable> chain = new ArrayList<>();
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Throwable link = outermost;
    while (link != null && chain.size() < MAX_LINKS && seen.add(link)) {
      chain.add(link);
      link = link.getCause();
    }
    return chain;
  }

  /** Class names with those of the superclasses, the innermost cause first. */
  static List<List<String>> typeNames(@Nullable Throwable cause) {
    List<List<String>> types = new ArrayList<>();
    for (Throwable link : of(cause)) {
      List<String> lineage = new ArrayList<>();
      for (Class<?> c = link.getClass(); c != null && c != Exception.class; c = c.getSuperclass()) {
        lineage.add(c.getName());
        lineage.add(c.getSimpleName());
      }
      types.add(lineage);
    }
    Collections.reverse(types);
    return types;
  }
}
