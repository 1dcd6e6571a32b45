@NullMarked
package dev.holdfast.session.retry;

import org.jspecify.annotations.NullMarked;
