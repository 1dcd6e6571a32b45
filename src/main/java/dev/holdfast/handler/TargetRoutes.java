package dev.holdfast.handler;

import dev.holdfast.handler.design.DesignTarget;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.RetryContext;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.account.CallGuard;
import dev.holdfast.llm.account.CallOf;
import dev.holdfast.session.retry.Route;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Design;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Finds the providers of a design's targets. */
public final class TargetRoutes {
  private TargetRoutes() {}

  /**
   * @param providers by name; hyphen and underscore are one in it
   * @throws ProviderMissingException if the worker lacks one
   */
  public static List<Route> of(List<DesignTarget> targets, Map<String, ChatProvider> providers) {
    return targets.stream().map(target -> route(target, providers)).toList();
  }

  /**
   * Returns the same routes with a guard between the attempt and its providers.
   *
   * @param budget of the attempt
   */
  public static List<Route> guarded(
      List<Route> routes, ClaimedTicket claimed, RetryContext budget, CallGuard guard) {
    CallOf call =
        new CallOf(
            claimed.id(),
            claimed.lease().no(),
            claimed.design().map(Design::name).orElse(null),
            budget);
    Map<ChatProvider, ChatProvider> guards = new IdentityHashMap<>();
    return routes.stream()
        .map(
            route ->
                new Route(
                    route.target(),
                    guards.computeIfAbsent(route.provider(), each -> guard.guard(each, call)),
                    route.retry()))
        .toList();
  }

  private static Route route(DesignTarget of, Map<String, ChatProvider> providers) {
    Target target = of.target();
    ChatProvider provider = providers.get(target.provider().replace('_', '-'));
    if (provider == null) {
      throw new ProviderMissingException(
          "the design asks the provider "
              + target.provider()
              + ", which this worker does not have: set providers."
              + target.provider()
              + " in its configuration"
              + key(target.provider())
              + " (it has "
              + (providers.isEmpty()
                  ? "none"
                  : String.join(", ", new TreeSet<>(providers.keySet())))
              + ")");
    }
    return new Route(target, provider, of.retry());
  }

  private static String key(String provider) {
    return switch (provider) {
      case "openai" -> " or OPENAI_API_KEY";
      case "anthropic" -> " or ANTHROPIC_API_KEY";
      default -> "";
    };
  }
}
