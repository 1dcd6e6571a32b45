package dev.holdfast.testing;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.ClassDescriptor;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.ClassOrdererContext;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * The order of the classes, several of which run at a time: first those with an {@link Order}, then
 * those with a slow test, for one that starts last keeps everybody waiting. JUnit itself runs those
 * that must be alone when all others have ended.
 */
public final class LongestFirst implements ClassOrderer {
  @Override
  public void orderClasses(ClassOrdererContext context) {
    context
        .getClassDescriptors()
        .sort(
            Comparator.comparing((ClassDescriptor type) -> type.isAnnotated(Order.class))
                .thenComparing(LongestFirst::isSlow)
                .thenComparing(LongestFirst::methods)
                .reversed());
  }

  private static boolean isSlow(ClassDescriptor type) {
    return Stream.concat(
            Stream.of(type.getTestClass()), Arrays.stream(type.getTestClass().getDeclaredMethods()))
        .flatMap(
            element -> AnnotationSupport.findRepeatableAnnotations(element, Tag.class).stream())
        .anyMatch(tag -> tag.value().equals("slow") || tag.value().equals("chaos"));
  }

  private static long methods(ClassDescriptor type) {
    return Arrays.stream(type.getTestClass().getDeclaredMethods())
        .filter(method -> method.getReturnType() == void.class && !method.isSynthetic())
        .filter(method -> method.getAnnotations().length > 0)
        .count();
  }
}
