package dev.holdfast.app;

import dev.holdfast.config.NoticeSettings;
import dev.holdfast.config.WebhookSettings;
import dev.holdfast.secret.Secrets;
import dev.holdfast.web.webhook.MailReceiver;
import dev.holdfast.web.webhook.NoticeReceiver;
import dev.holdfast.web.webhook.NoticeRules;
import dev.holdfast.web.webhook.WebhookReceiver;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes the receivers of notices that the configuration names. */
final class Receivers {
  private Receivers() {}

  static List<NoticeReceiver> of(NoticeSettings configured, Secrets hidden) {
    NoticeRules rules = rules(configured, hidden);
    List<NoticeReceiver> all = new ArrayList<>();
    @Nullable WebhookSettings webhook = configured.webhook();
    if (webhook != null) {
      all.add(
          new WebhookReceiver(
              webhook.address(),
              webhook.secret(),
              webhook.timeout(),
              webhook.format() == WebhookSettings.Format.SLACK
                  ? WebhookReceiver.Form.TEXT
                  : WebhookReceiver.Form.CLOUDEVENT,
              rules));
    }
    NoticeSettings.@Nullable Mail mail = configured.mail();
    if (mail != null) {
      all.add(
          new MailReceiver(
              mail.server(),
              mail.user(),
              mail.password(),
              mail.from(),
              mail.to(),
              mail.timeout(),
              rules));
    }
    return all;
  }

  private static NoticeRules rules(NoticeSettings configured, Secrets hidden) {
    NoticeSettings.@Nullable QuietHours quiet = configured.quietHours();
    return new NoticeRules(
        configured.giveUpAfter(),
        configured.consoleAddress(),
        hidden,
        configured.groupWait(),
        time -> quiet != null && quiet.contains(time),
        configured.events().stream()
            .map(each -> NoticeRules.Event.valueOf(each.toUpperCase(Locale.ROOT)))
            .collect(Collectors.toSet()),
        new NoticeRules.DigestTime(configured.digestTime(), configured.digestZone()));
  }
}
