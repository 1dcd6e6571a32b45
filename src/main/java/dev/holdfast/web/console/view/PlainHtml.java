package dev.holdfast.web.console.view;

import gg.jte.TemplateOutput;
import gg.jte.html.OwaspHtmlTemplateOutput;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * HTML in which no text can reverse itself or other text: what a person reads, approves and reviews
 * is what is there. The characters that could do so are shown by their numbers. Attributes and
 * fields of forms have the text as it is, because it is sent back.
 */
public final class PlainHtml extends OwaspHtmlTemplateOutput {
  private static final Pattern TURNS = Pattern.compile("[\u202a-\u202e\u2066-\u2069]");

  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private boolean isSentBack;

  public PlainHtml(TemplateOutput output) {
    super(output);
  }

  /** Returns the same JSON, in which such characters are escaped. */
  static String ofJson(String json) {
    return TURNS
        .matcher(json)
        .replaceAll(turn -> "\\\\u" + HEX.toHexDigits(turn.group().charAt(0)));
  }

  @Override
  public void setContext(String tag, @Nullable String attribute) {
    isSentBack = attribute != null || "textarea".equals(tag);
    super.setContext(tag, attribute);
  }

  @Override
  public void writeUserContent(@Nullable String text) {
    super.writeUserContent(
        text == null || isSentBack
            ? text
            : TURNS
                .matcher(text)
                .replaceAll(turn -> "[U+" + HEX.toHexDigits(turn.group().charAt(0)) + "]"));
  }
}
