/** Other queues beside Holdfast; compiled and run by {@code mvn -Pbench verify} only. */
@NullMarked
package dev.holdfast.peers;

import org.jspecify.annotations.NullMarked;
