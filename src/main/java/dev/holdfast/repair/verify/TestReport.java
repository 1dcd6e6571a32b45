package dev.holdfast.repair.verify;

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
 * A JUnit XML report, as surefire, gradle, pytest and node's test runner write it. No DTD and no
 * entity of its own is read: a program of the repository has written it.
 *
 * @param tests how many test cases it tells of, without the skipped ones
 */
record TestReport(int tests, List<FailedTest> failed) {
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
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_COALESCING, true);
    try (InputStream in = Files.newInputStream(file)) {
      XMLStreamReader reader = factory.createXMLStreamReader(in);
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

  private static final class Parse {
    private static final int MAX_TEXT = 4000;

    private final XMLStreamReader reader;
    private final List<FailedTest> failed = new ArrayList<>();
    private int tests;

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
        if (first && !element.equals("testsuites") && !element.equals("testsuite")) {
          throw new IOException("no JUnit XML report: its root is <" + element + ">");
        }
        first = false;
        if (element.equals("testcase")) {
          testCase();
        }
      }
      return new TestReport(tests, failed);
    }

    private void testCase() throws XMLStreamException {
      String name = name();
      boolean skipped = false;
      List<String> failures = new ArrayList<>();
      int depth = 1;
      while (depth > 0) {
        int event = reader.next();
        if (event == XMLStreamConstants.END_ELEMENT) {
          depth--;
        } else if (event == XMLStreamConstants.START_ELEMENT) {
          String element = reader.getLocalName();
          skipped |= element.equals("skipped");
          if (element.equals("failure") || element.equals("error")) {
            failures.add(failure());
          } else {
            depth++;
          }
        }
      }
      if (!skipped || !failures.isEmpty()) {
        tests++;
      }
      if (!failures.isEmpty()) {
        failed.add(new FailedTest(name, String.join("\n", failures)));
      }
    }

    private String name() {
      String group = attribute("classname");
      String name = attribute("name");
      return group.isEmpty() || name.startsWith(group) ? name : group + "." + name;
    }

    /** Of the element that has begun; it has ended then. */
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
        } else if (reader.isCharacters() && text.length() < MAX_TEXT) {
          text.append(reader.getText());
        }
      }
      String body = text.toString().strip();
      String head = message.isEmpty() ? type : message;
      String all = body.contains(head) ? body : head + "\n" + body;
      return all.length() <= MAX_TEXT ? all : all.substring(0, MAX_TEXT) + "…";
    }

    private String attribute(String name) {
      String value = reader.getAttributeValue(null, name);
      return value == null ? "" : value.strip();
    }
  }
}
