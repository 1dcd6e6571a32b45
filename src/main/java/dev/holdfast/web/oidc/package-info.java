/** Logins with a provider of OpenID Connect. */
@NullMarked
package dev.holdfast.web.oidc;

import org.jspecify.annotations.NullMarked;
