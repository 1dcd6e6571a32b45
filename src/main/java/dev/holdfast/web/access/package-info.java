/** Decides who may call: tokens, roles, login cookies. */
@NullMarked
package dev.holdfast.web.access;

import org.jspecify.annotations.NullMarked;
