package dev.holdfast.handler;

import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.Target;
import dev.holdfast.session.Route;
import dev.holdfast.ticket.InvalidTicketException;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Finds the providers of a design's targets. */
public final class TargetRoutes {
  private TargetRoutes() {}

  /**
   * @param providers by name; hyphen and underscore are one in it
   * @throws InvalidTicketException if the worker lacks one
   */
  public static List<Route> of(List<Target> targets, Map<String, ChatProvider> providers) {
    return targets.stream().map(target -> route(target, providers)).toList();
  }

  private static Route route(Target target, Map<String, ChatProvider> providers) {
    ChatProvider provider = providers.get(target.provider().replace('_', '-'));
    if (provider == null) {
      throw new InvalidTicketException(
          "the design asks the provider "
              + target.provider()
              + ", which this worker does not have: set providers."
              + target.provider()
              + " in its configuration"
              + key(target.provider())
              + "; it has "
              + (providers.isEmpty()
                  ? "none"
                  : String.join(", ", new TreeSet<>(providers.keySet()))));
    }
    return new Route(target, provider);
  }

  private static String key(String provider) {
    return switch (provider) {
      case "openai" -> " or OPENAI_API_KEY";
      case "anthropic" -> " or ANTHROPIC_API_KEY";
      default -> "";
    };
  }
}
