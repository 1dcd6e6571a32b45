package dev.holdfast.web.webhook;

import java.time.Duration;
import java.time.InstantSource;

/** A receiver of what people should know. */
public sealed interface NoticeReceiver permits WebhookReceiver, MailReceiver {
  /** Under which the cursor is kept; says nothing that is secret. */
  String name();

  NoticeRules rules();

  /** Of one delivery. */
  Duration timeout();

  /** Makes the sender of its notices. */
  NoticeSender sender(InstantSource clock);
}
