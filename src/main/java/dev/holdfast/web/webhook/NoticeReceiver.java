package dev.holdfast.web.webhook;

import java.time.Duration;
import java.time.InstantSource;

/** A receiver of notices about what people should know. */
public sealed interface NoticeReceiver permits WebhookReceiver, MailReceiver {
  /** Returns the name under which the cursor is kept; it contains no secret. */
  String name();

  NoticeRules rules();

  /** Returns the timeout of one delivery. */
  Duration timeout();

  /** Makes the sender of its notices. */
  NoticeSender sender(InstantSource clock);
}
