package dev.holdfast.web.console;

import dev.holdfast.web.console.view.PlainHtml;
import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;

/**
 * The templates of {@code src/main/jte}, compiled at build time. The values in them are escaped for
 * the place where they stand. Thread-safe.
 */
final class Templates {
  private final TemplateEngine engine = TemplateEngine.createPrecompiled(ContentType.Html);

  /**
   * @param name the name of the template, without its ending
   * @param model its only parameter
   */
  String render(String name, Object model) {
    StringOutput html = new StringOutput();
    engine.render(name + ".jte", model, new PlainHtml(html));
    return html.toString();
  }
}
