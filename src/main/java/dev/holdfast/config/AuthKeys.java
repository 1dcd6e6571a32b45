package dev.holdfast.config;

import java.util.List;
import java.util.regex.Pattern;

/** The keys of logins that somebody else checks: a proxy, or a provider of OpenID Connect. */
final class AuthKeys {
  static final Keys.Section SECTION = new Keys.Section();

  private static final KeyType<String> HEADER =
      new KeyType.Text(Pattern.compile("|[A-Za-z][A-Za-z0-9-]*"), "the name of a header");
  private static final KeyType<List<String>> PEOPLE =
      new KeyType.Texts(
          Pattern.compile("\\*|@?[^\\s@*,](?:[^,]*[^\\s,])?"), "names, @GROUP, or * for everybody");
  private static final KeyType<String> CLAIM =
      new KeyType.Text(Pattern.compile("\\S+"), "the name of a claim");

  static final Key<String> PROXY_HEADER =
      SECTION.key(
          "web.auth.proxy-header",
          HEADER,
          "",
          "The header in which a proxy that logs people in gives their name, as X-Forwarded-User."
              + " It is taken from web.auth.proxy-addresses alone. Empty takes no proxy's word.");
  static final Key<String> PROXY_GROUPS_HEADER =
      SECTION.key(
          "web.auth.proxy-groups-header",
          HEADER,
          "",
          "The header in which the proxy gives their groups, with commas between them.");
  static final Key<List<String>> PROXY_ADDRESSES =
      SECTION.key(
          "web.auth.proxy-addresses",
          new KeyType.Texts(Pattern.compile("[0-9A-Fa-f.:]+(/[0-9]{1,3})?"), "addresses"),
          "",
          "Where the proxy connects from: addresses, or networks such as 10.0.0.0/8. Jobs run on"
              + " this machine, so its loopback addresses need web.auth.proxy-secret, too.");
  static final Key<String> PROXY_SECRET =
      SECTION.secret(
          "web.auth.proxy-secret",
          KeyType.Text.LONG_SECRET,
          "What the proxy must send as X-Holdfast-Proxy-Secret, so that no other program on its"
              + " machine can pass for it.");
  static final Key<List<String>> VIEWERS =
      SECTION.key(
          "web.auth.viewers",
          PEOPLE,
          "",
          "Who may read, of the people whom the proxy or the provider names; @GROUP is all of a"
              + " group, * is everybody it lets in.");
  static final Key<List<String>> OPERATORS =
      SECTION.key("web.auth.operators", PEOPLE, "", "Who of them may read and act.");
  static final Key<String> OIDC_ISSUER =
      SECTION.key(
          "web.auth.oidc-issuer",
          new KeyType.Text(Pattern.compile("|https?://\\S+"), "https://..."),
          "",
          "The provider of OpenID Connect where people log in; its settings are read from"
              + " .well-known/openid-configuration below it. Needs web.auth.oidc-client-id and"
              + " webhooks.console-url, at whose /login/oidc/callback it sends people back. Empty"
              + " is none.");
  static final Key<String> OIDC_CLIENT_ID =
      SECTION.key(
          "web.auth.oidc-client-id",
          KeyType.Text.WITHOUT_BLANKS,
          "",
          "Under which id the provider knows this console.");
  static final Key<String> OIDC_CLIENT_SECRET =
      SECTION.secret(
          "web.auth.oidc-client-secret",
          KeyType.Text.WITHOUT_BLANKS,
          "The secret of that client. Empty for a public client, which PKCE protects alone.");
  static final Key<List<String>> OIDC_SCOPES =
      SECTION.key(
          "web.auth.oidc-scopes",
          new KeyType.Texts(Pattern.compile("[!#-\\[\\]-~]+"), "names of scopes"),
          "openid,email,profile",
          "What the provider is asked for; groups often need one of their own.");
  static final Key<String> OIDC_NAME_CLAIM =
      SECTION.key(
          "web.auth.oidc-name-claim",
          CLAIM,
          "email",
          "The claim of the ID token in whose name people act. An email must be verified.");
  static final Key<String> OIDC_GROUPS_CLAIM =
      SECTION.key(
          "web.auth.oidc-groups-claim",
          CLAIM,
          "groups",
          "The claim with their groups or roles: a list of texts.");

  private AuthKeys() {}
}
