package dev.holdfast.web.webhook;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.fuzz.FuzzTarget;
import dev.holdfast.queue.PeopleNotices.HoldNotice;
import dev.holdfast.secret.Secrets;
import jakarta.mail.Header;
import jakarta.mail.internet.MimeMessage;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What tickets and errors say, in the mails about them: it stays what is told of them. */
public final class MailFuzz {
  public static final FuzzTarget NOTICE = FuzzTarget.ofText("mail", MailFuzz::notice);

  private static final int LONGEST_SUBJECT = 120;

  private static final Set<String> HEADERS =
      Set.of(
          "Date",
          "From",
          "To",
          "Message-ID",
          "Subject",
          "MIME-Version",
          "Content-Type",
          "Content-Transfer-Encoding",
          "Auto-Submitted");

  private static final MailReceiver PEOPLE =
      new MailReceiver(
          URI.create("smtp://mail.example"),
          null,
          null,
          "holdfast@example.org",
          List.of("ann@example.org"),
          Duration.ofSeconds(1),
          new NoticeRules(
              Duration.ofDays(1),
              URI.create("https://holdfast.example"),
              Secrets.of(Map.of()),
              Duration.ZERO,
              time -> false,
              Set.of(),
              null));

  private MailFuzz() {}

  private static void notice(String text) throws Exception {
    HoldNotice hold =
        new HoldNotice(7, 17, Instant.EPOCH, text, text, text, text, text, text, "f", text, text);
    NoticeEvent event =
        NoticeEvent.of(NoticeGroup.each(List.of(hold)).getFirst(), PEOPLE.rules().consoleAddress());
    MimeMessage message = new MailDelivery(PEOPLE, InstantSource.system()).message(event);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    message.writeTo(out);
    String head = out.toString(StandardCharsets.ISO_8859_1).split("\r\n\r\n", 2)[0];
    for (String line : head.split("\r\n", -1)) {
      boolean ours = line.startsWith(" ") || line.startsWith("\t") || isOurs(line);
      require(ours, "a header is ours: " + line);
      require(
          line.chars().allMatch(each -> each == 9 || (each > 31 && each < 127)), "plain: " + line);
    }
    for (Header each : Collections.list(message.getAllHeaders())) {
      require(isOurs(each.getName() + ":"), "a header is ours: " + each.getName());
    }
    require(message.getAllRecipients().length == 1, "nobody else gets it");
    require(message.getSubject().length() <= LONGEST_SUBJECT, "a subject is short");
    require(message.getSubject().lines().count() == 1, "a subject is one line");
  }

  private static boolean isOurs(String line) {
    int colon = line.indexOf(':');
    return colon > 0
        && HEADERS.stream().anyMatch(each -> each.equalsIgnoreCase(line.substring(0, colon)));
  }
}
