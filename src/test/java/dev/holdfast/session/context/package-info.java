@NullMarked
package dev.holdfast.session.context;

import org.jspecify.annotations.NullMarked;
