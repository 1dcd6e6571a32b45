package dev.holdfast.repair.verify;

import dev.holdfast.failure.ShortText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * A JUnit XML report, as surefire, gradle, pytest and node's test runner write it. Its DTD and
 * entities are not read, because a program of the repository has written it.
 *
 * @param tests how many test cases it contains, without the skipped ones
 * @param failed the first {@link #MOST_FAILED}
 * @param more how many others failed
 */
record TestReport(int tests, List<FailedTest> failed, int more) {
  /**
   * The most failures that are kept. A program may write millions of them, which nobody reads and
   * no memory holds.
   */
  static final int MOST_FAILED = 1000;

  /**
   * @param name with its class
   * @param text message and stack trace
   */
  record FailedTest(String name, String text) {}

  TestReport {
    failed = List.copyOf(failed);
  }

  /**
   * @throws IOException if it cannot be read, or is no such report
   */
  static TestReport read(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      XMLStreamReader reader = reader(in);
      try {
        return new Parse(reader).report();
      } finally {
        reader.close();
      }
    } catch (XMLStreamException e) {
      throw new IOException(
          "no JUnit XML report (line " + e.getLocation().getLineNumber() + " is wrong)", e);
    }
  }

  /** True if it begins like a report, complete or not. */
  static boolean isReport(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      XMLStreamReader reader = reader(in);
      while (reader.next() != XMLStreamConstants.START_ELEMENT) {
        // A comment may come before the root.
      }
      return isRoot(reader.getLocalName());
    } catch (IOException | XMLStreamException e) {
      return false;
    }
  }

  private static boolean isRoot(String element) {
    return element.equals("testsuites") || element.equals("testsuite");
  }

  private static XMLStreamReader reader(InputStream in) throws XMLStreamException {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_COALESCING, false);
    // Each &lt; counts as an entity, and no others are possible here.
    factory.setProperty("jdk.xml.maxGeneralEntitySizeLimit", "0");
    factory.setProperty("jdk.xml.totalEntitySizeLimit", "0");
    return factory.createXMLStreamReader(in);
  }

  private static final class Parse {
    private static final int MAX_TEXT = 4000;

    private final XMLStreamReader reader;
    private final List<FailedTest> failed = new ArrayList<>();
    private int tests;
    private int more;

    Parse(XMLStreamReader reader) {
      this.reader = reader;
    }

    TestReport report() throws XMLStreamException, IOException {
      boolean first = true;
      while (reader.hasNext()) {
        if (reader.next() != XMLStreamConstants.START_ELEMENT) {
          continue;
        }
        String element = reader.getLocalName();
        if (first && !isRoot(element)) {
          throw new IOException("no JUnit XML report: its root is <" + element + ">");
        }
        first = false;
        if (element.equals("testcase")) {
          testCase();
        }
      }
      return new TestReport(tests, failed, more);
    }

    private void testCase() throws XMLStreamException {
      String name = name();
      boolean skipped = false;
      boolean failure = false;
      StringBuilder failures = new StringBuilder();
      int depth = 1;
      while (depth > 0) {
        int event = reader.next();
        if (event == XMLStreamConstants.END_ELEMENT) {
          depth--;
        } else if (event == XMLStreamConstants.START_ELEMENT) {
          String element = reader.getLocalName();
          skipped |= element.equals("skipped");
          if (element.equals("failure") || element.equals("error")) {
            failure = true;
            add(failure(), failures);
          } else {
            depth++;
          }
        }
      }
      if (!skipped || failure) {
        tests++;
      }
      if (failure && failed.size() < MOST_FAILED) {
        failed.add(new FailedTest(ShortText.of(name, MAX_TEXT), failures.toString()));
      } else if (failure) {
        more++;
      }
    }

    /** Adds a failure; surefire writes one for each rerun of a test. */
    private static void add(String failure, StringBuilder failures) {
      if (failures.length() < MAX_TEXT) {
        failures.append(failures.isEmpty() ? "" : "\n").append(failure);
      }
    }

    private String name() {
      String group = attribute("classname");
      String name = attribute("name");
      return group.isEmpty() || name.startsWith(group) ? name : group + "." + name;
    }

    /** Reads the failure of the element that has begun, up to its end. */
    private String failure() throws XMLStreamException {
      String message = attribute("message");
      String type = attribute("type");
      StringBuilder text = new StringBuilder();
      for (int depth = 1; depth > 0; ) {
        int event = reader.next();
        if (event == XMLStreamConstants.END_ELEMENT) {
          depth--;
        } else if (event == XMLStreamConstants.START_ELEMENT) {
          depth++;
        } else if (isText(event) && text.length() < MAX_TEXT) {
          text.append(reader.getText());
        }
      }
      String body = text.toString().strip();
      String head = message.isEmpty() ? type : message;
      return ShortText.of(body.contains(head) ? body : head + "\n" + body, MAX_TEXT);
    }

    /**
     * True for text. It comes in pieces, because a whole text of a report could fill the memory.
     */
    private static boolean isText(int event) {
      return event == XMLStreamConstants.CHARACTERS
          || event == XMLStreamConstants.CDATA
          || event == XMLStreamConstants.SPACE;
    }

    private String attribute(String name) {
      String value = reader.getAttributeValue(null, name);
      return value == null ? "" : value.strip();
    }
  }
}
