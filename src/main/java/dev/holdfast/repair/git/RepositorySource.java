package dev.holdfast.repair.git;

import java.nio.file.Path;

/**
 * The source of a repair's repository.
 *
 * <p>Read from a design with {@link #local} and {@link #remote}, which refuse what is no good: a
 * relative path, a URL with a password in it, of a transport that runs programs ({@code ext::}), or
 * a ref that git would take for an option.
 */
public sealed interface RepositorySource {
  /** The branch, tag or commit to fetch; {@code HEAD} is the usual. */
  String ref();

  /** Returns a description for people, without anything secret. */
  String description();

  /**
   * A repository on this machine: with a checkout or bare, shallow or not.
   *
   * @param path absolute, of the checkout's root or of the bare repository
   */
  record Local(Path path, String ref) implements RepositorySource {
    @Override
    public String description() {
      return path.toString();
    }
  }

  /**
   * @param url {@code https}, {@code http}, {@code ssh}, {@code git}, {@code file}, or {@code
   *     user@host:path}
   */
  record Remote(String url, String ref) implements RepositorySource {
    @Override
    public String description() {
      return url;
    }
  }

  /**
   * @throws RepositoryException if the path or the ref is none
   */
  static RepositorySource local(String path, String ref) {
    return new Local(SourceRules.path(path), SourceRules.ref(ref));
  }

  /**
   * @throws RepositoryException if the URL or the ref is none
   */
  static RepositorySource remote(String url, String ref) {
    return new Remote(SourceRules.url(url), SourceRules.ref(ref));
  }
}
