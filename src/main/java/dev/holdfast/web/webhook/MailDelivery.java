package dev.holdfast.web.webhook;

import dev.holdfast.secret.Secrets;
import jakarta.mail.Address;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.SendFailedException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends one event as a mail of plain text. Its {@code Message-ID} is made from the event's id, so a
 * mail that comes twice is recognized. Thread-safe.
 */
final class MailDelivery implements NoticeSender {
  private static final Logger log = LoggerFactory.getLogger(MailDelivery.class);
  private static final int SUBJECT = 120;

  private final MailReceiver receiver;
  private final InstantSource clock;
  private final Session session;

  MailDelivery(MailReceiver receiver, InstantSource clock) {
    this.receiver = receiver;
    this.clock = clock;
    this.session = Session.getInstance(properties(receiver));
  }

  private static Properties properties(MailReceiver receiver) {
    boolean encrypted = "smtps".equals(receiver.server().getScheme());
    String protocol = encrypted ? "smtps" : "smtp";
    String millis = Long.toString(receiver.timeout().toMillis());
    Properties properties = new Properties();
    properties.put("mail.transport.protocol", protocol);
    for (String name : new String[] {"connectiontimeout", "timeout", "writetimeout"}) {
      properties.put("mail." + protocol + "." + name, millis);
    }
    properties.put("mail." + protocol + ".sendpartial", "true");
    properties.put("mail." + protocol + ".ssl.checkserveridentity", "true");
    // By then the mail has been taken or not.
    properties.put("mail." + protocol + ".quitwait", "false");
    properties.put("mail.smtp.starttls.enable", "true");
    return properties;
  }

  @Override
  public Sent send(NoticeEvent event) {
    try {
      MimeMessage message = message(event);
      Transport transport = session.getTransport();
      try {
        transport.connect(
            receiver.server().getHost(),
            receiver.server().getPort(),
            receiver.user(),
            receiver.password());
        transport.sendMessage(message, message.getAllRecipients());
      } finally {
        leave(transport);
      }
      return new Taken();
    } catch (SendFailedException e) {
      Address[] sent = e.getValidSentAddresses();
      if (sent == null || sent.length == 0) {
        String code = code(e);
        String why = e.getClass().getSimpleName() + " " + code;
        return code.startsWith("5") ? new Refused(why) : new NotTaken(why.strip());
      }
      log.warn(
          "the mail server of {} refuses {}; the others have {}", receiver, without(e), event.id());
      return new Taken();
    } catch (MessagingException e) {
      return new NotTaken((kind(e) + " " + code(e)).strip());
    }
  }

  /**
   * Closes the connection. A mail that the server took stays taken, however the connection ends.
   */
  private static void leave(Transport transport) {
    try {
      transport.close();
    } catch (MessagingException e) {
      log.debug("the mail server says no good-bye: {}", e.getMessage());
    }
  }

  private static List<Address> without(SendFailedException e) {
    return Stream.of(e.getInvalidAddresses(), e.getValidUnsentAddresses())
        .filter(Objects::nonNull)
        .flatMap(Stream::of)
        .toList();
  }

  /** Returns the error with its cause, such as a certificate that is not trusted. */
  private static String kind(MessagingException e) {
    Exception cause = e.getNextException();
    return e.getClass().getSimpleName()
        + (cause == null ? "" : ", " + cause.getClass().getSimpleName());
  }

  /** Returns the server's code, or "". The rest of its answer may quote what it was sent. */
  private static String code(MessagingException e) {
    String words = String.valueOf(e.getMessage());
    return words.matches("(?s)[45]\\d\\d.*") ? words.substring(0, 3) : "";
  }

  MimeMessage message(NoticeEvent event) throws MessagingException {
    Secrets hidden = receiver.rules().hidden();
    MimeMessage message = new Identified(session, event);
    message.setFrom(new InternetAddress(receiver.from()));
    for (String each : receiver.to()) {
      message.addRecipient(Message.RecipientType.TO, new InternetAddress(each));
    }
    message.setSubject(subject(hidden.redact(event.text())), "UTF-8");
    message.setSentDate(Date.from(clock.instant()));
    message.setHeader("Auto-Submitted", "auto-generated");
    message.setText(hidden.redact(event.text()) + "\n\n" + hidden.redact(event.details()), "UTF-8");
    return message;
  }

  private static String subject(String text) {
    // It is possessive, so that a title of 100,000 spaces is not searched from each of them. And
    // "=?" would be read as encoded text, which may have line ends in it.
    String words = text.replace("=?", "= ?").replaceAll("\\s++", " ").strip();
    String line = words.replaceFirst(" https?://\\S++$", "");
    if (line.length() <= SUBJECT) {
      return line;
    }
    int end = Character.isHighSurrogate(line.charAt(SUBJECT - 2)) ? SUBJECT - 2 : SUBJECT - 1;
    return line.substring(0, end) + "…";
  }

  @Override
  public void close() {}

  /** A mail with our id. The library makes an id of its own when a message is sent. */
  private static final class Identified extends MimeMessage {
    private final String id;

    Identified(Session session, NoticeEvent event) {
      super(session);
      // Another database counts its notices from 1, too, and mailboxes drop a mail with a known id.
      this.id = event.id() + "." + event.time().toEpochMilli();
    }

    @Override
    protected void updateMessageID() throws MessagingException {
      setHeader("Message-ID", "<" + id.toLowerCase(Locale.ROOT) + "@holdfast>");
    }
  }
}
