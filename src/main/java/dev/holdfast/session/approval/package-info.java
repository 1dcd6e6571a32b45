/** The calls of tools that a person has to allow first. */
@NullMarked
package dev.holdfast.session.approval;

import org.jspecify.annotations.NullMarked;
