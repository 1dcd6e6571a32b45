package dev.holdfast.tool.patch;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the diffs and blocks in what a model answers, among prose and code fences. A fence without
 * a path and without a diff in it is an example and left alone.
 */
final class AnswerReader {
  private static final Pattern FENCE = Pattern.compile("^([ \\t]*)(`{3,}|~{3,})([^`]*)$");
  private static final Pattern SEARCH = Pattern.compile("^<{5,9} ?(?:SEARCH|ORIGINAL)\\s*$");
  private static final Pattern DIVIDER = Pattern.compile("^={5,9}\\s*$");
  private static final Pattern REPLACE = Pattern.compile("^>{5,9} ?(?:REPLACE|UPDATED)\\s*$");
  private static final Pattern TAG =
      Pattern.compile("^\\s*<file\\s+(?:path|name)\\s*=\\s*[\"']([^\"']+)[\"']\\s*>\\s*$");
  private static final Pattern TAG_END = Pattern.compile("^\\s*</file>\\s*$");
  private static final Pattern MARKDOWN = Pattern.compile("(?i).*\\.(?:md|mdx|markdown|mdc)");

  private final List<String> lines;
  private final MentionedPath labels;
  private final List<AnswerPart> parts = new ArrayList<>();
  private int at;
  private @Nullable String lastPath;

  /**
   * @param isFile whether there is a file of that relative path
   */
  AnswerReader(String text, Predicate<String> isFile) {
    this.lines = List.of(text.split("\n", -1));
    this.labels = new MentionedPath(isFile);
  }

  List<AnswerPart> read() throws PatchRejection {
    while (at < lines.size()) {
      Matcher fence = FENCE.matcher(line());
      Matcher tag = TAG.matcher(line());
      if (fence.matches()) {
        fence(fence.group(1), fence.group(2), fence.group(3));
      } else if (tag.matches()) {
        tag(tag.group(1));
      } else if (isSearch()) {
        edit(labelAbove().orElse(null));
      } else if (PatchEnvelope.begins(line(), "")) {
        envelope("");
      } else if (DiffReader.beginsAt(lines, at)) {
        bareDiff();
      } else {
        at++;
      }
    }
    return parts;
  }

  private String line() {
    String line = lines.get(at);
    return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
  }

  private boolean isSearch() {
    return SEARCH.matcher(line().strip()).matches();
  }

  /** A diff without a fence ends where a fence or a block begins. */
  private void bareDiff() {
    int start = at;
    while (at < lines.size()
        && !FENCE.matcher(line()).matches()
        && !isSearch()
        && !PatchEnvelope.begins(line(), "")) {
      at++;
    }
    String text = String.join("\n", lines.subList(start, at));
    parts.add(new AnswerPart.Diff(text, false, false));
  }

  private void fence(String indent, String mark, String info) throws PatchRejection {
    Optional<String> label = labelAbove().or(() -> labels.inFence(info));
    boolean nests = label.map(path -> MARKDOWN.matcher(path).matches()).orElse(false);
    int before = parts.size();
    int depth = 0;
    boolean closed = false;
    List<String> content = new ArrayList<>();
    at++;
    while (at < lines.size() && !closed) {
      if (isSearch()) {
        edit(inner(content).or(() -> label).orElse(null));
        continue;
      }
      boolean first = content.stream().allMatch(String::isBlank);
      if (PatchEnvelope.begins(line(), indent) && (first || label.isEmpty())) {
        envelope(indent);
        continue;
      }
      Matcher inner = FENCE.matcher(line());
      boolean isFence = inner.matches() && inner.group(2).startsWith(mark);
      if (isFence && nests && !inner.group(3).isBlank()) {
        depth++;
      } else if (isFence && inner.group(3).isBlank() && depth-- == 0) {
        closed = true;
        at++;
        continue;
      }
      String raw = lines.get(at);
      content.add(raw.startsWith(indent) ? raw.substring(indent.length()) : raw);
      at++;
    }
    if (parts.size() == before) {
      classify(content, info, label, !closed);
    }
  }

  private void envelope(String indent) throws PatchRejection {
    PatchEnvelope envelope = new PatchEnvelope(lines, at, indent);
    parts.addAll(envelope.read());
    at = envelope.end();
  }

  /** The path in the line above a search block within a fence. */
  private Optional<String> inner(List<String> content) {
    return content.isEmpty() ? Optional.empty() : labels.above(content.getLast());
  }

  private void classify(List<String> content, String info, Optional<String> label, boolean cutOff) {
    String text = String.join("\n", content);
    String language = info.strip().split("[\\s:{]", -1)[0];
    boolean named = language.equalsIgnoreCase("diff") || language.equalsIgnoreCase("patch");
    boolean isDiff = named;
    for (int i = 0; i < content.size() && !isDiff && label.isEmpty(); i++) {
      isDiff = DiffReader.beginsAt(content, i);
    }
    boolean labelledDiff =
        label.isPresent() && !content.isEmpty() && DiffReader.beginsAt(content, 0);
    if (isDiff || labelledDiff) {
      parts.add(new AnswerPart.Diff(text, true, cutOff));
    } else if (label.isPresent()) {
      String whole = content.isEmpty() ? "" : text.replace("\r\n", "\n") + "\n";
      parts.add(new AnswerPart.WholeFile(label.get(), whole, cutOff));
    }
  }

  private void tag(String path) {
    at++;
    List<String> content = new ArrayList<>();
    while (at < lines.size() && !TAG_END.matcher(line()).matches()) {
      content.add(line());
      at++;
    }
    boolean cutOff = at == lines.size();
    at++;
    String whole = content.isEmpty() ? "" : String.join("\n", content) + "\n";
    parts.add(new AnswerPart.WholeFile(path, whole, cutOff));
  }

  private Optional<String> labelAbove() {
    for (int i = at - 1; i >= 0 && i >= at - 2; i--) {
      if (!lines.get(i).isBlank()) {
        return labels.above(lines.get(i).strip());
      }
    }
    return Optional.empty();
  }

  private void edit(@Nullable String label) throws PatchRejection {
    String path = label == null ? lastPath : label;
    if (path == null) {
      throw PatchRejection.malformed(
          "A search/replace block has no path: write the path of its file alone on the line above"
              + " it.");
    }
    lastPath = path;
    at++;
    String search = until(DIVIDER, path, "=======");
    String replace = until(REPLACE, path, ">>>>>>> REPLACE");
    parts.add(new AnswerPart.Edit(path, search, replace));
  }

  private String until(Pattern end, String path, String mark) throws PatchRejection {
    StringBuilder text = new StringBuilder();
    for (; at < lines.size(); at++) {
      String line = line();
      if (end.matcher(line.strip()).matches()) {
        at++;
        return text.toString();
      }
      if (isSearch() || DIVIDER.matcher(line).matches()) {
        break;
      }
      text.append(line).append('\n');
    }
    throw PatchRejection.malformed(
        ("A search/replace block for %s is not complete: it needs, in this order and once"
                + " each, the lines \"<<<<<<< SEARCH\", \"=======\" and \">>>>>>> REPLACE\"; \"%s\""
                + " is missing.")
            .formatted(path, mark));
  }
}
