package dev.holdfast.web.console;

import dev.holdfast.queue.SpendingDesk;
import dev.holdfast.web.Routes;
import dev.holdfast.web.Visitor;
import dev.holdfast.web.access.Role;
import dev.holdfast.web.console.view.Format;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import org.jspecify.annotations.Nullable;

/** The button beside an account that a person has put in order again. */
record ProviderForms(SpendingDesk spending) implements Routes {
  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.post("/providers/mend", this::mend, Role.OPERATOR);
  }

  private void mend(Context context) {
    TicketForms.answer(
        context,
        () -> {
          @Nullable String provider = TicketForms.words(context, "provider");
          @Nullable String key = TicketForms.words(context, "key");
          if (provider == null) {
            return Notice.bad("Nothing was mended: name a provider.");
          }
          SpendingDesk.Mended mended = spending.mend(provider, Visitor.of(context).actor(), key);
          return Notice.good(
              "%s is called again. Held tickets released: %s; waiting ones woken: %s."
                  .formatted(
                      provider, Format.number(mended.released()), Format.number(mended.woken())));
        },
        "/providers");
  }
}
