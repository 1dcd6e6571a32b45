@NullMarked
package dev.holdfast.web.oidc;

import org.jspecify.annotations.NullMarked;
