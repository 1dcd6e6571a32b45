@NullMarked
package dev.holdfast.session;

import org.jspecify.annotations.NullMarked;
