package dev.holdfast.testing;

import java.util.Arrays;
import java.util.Comparator;
import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/**
 * The order of the classes, several of which run at a time: first those that must be alone, so that
 * nothing has to end for them in the middle; then those with an {@link Order}, then the slow ones,
 * for one that starts last keeps everybody waiting.
 */
public final class LongestFirst implements ClassOrderer {
  @Override
  public void orderClasses(ClassOrdererContext context) {
    context
        .getClassDescriptors()
        .sort(
            Comparator.comparing(LongestFirst::isAlone)
                .thenComparing(type -> type.isAnnotated(Order.class))
                .thenComparing(LongestFirst::isSlow)
                .thenComparing(LongestFirst::methods)
                .reversed());
  }

  private static boolean isAlone(ClassDescriptor type) {
    return type.findRepeatableAnnotations(ResourceLock.class).stream()
        .anyMatch(lock -> lock.value().equals(Resources.GLOBAL));
  }

  private static boolean isSlow(ClassDescriptor type) {
    return type.findRepeatableAnnotations(Tag.class).stream()
        .anyMatch(tag -> tag.value().equals("slow") || tag.value().equals("chaos"));
  }

  private static long methods(ClassDescriptor type) {
    return Arrays.stream(type.getTestClass().getDeclaredMethods())
        .filter(method -> method.getReturnType() == void.class && !method.isSynthetic())
        .filter(method -> method.getAnnotations().length > 0)
        .count();
  }
}
