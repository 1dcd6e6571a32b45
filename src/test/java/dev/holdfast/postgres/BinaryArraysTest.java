package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Array;
import java.lang.reflect.Proxy;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.argument.Arguments;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BinaryArraysTest {
  private final Arguments arguments =
      Jdbi.create("jdbc:none").registerArgument(new BinaryArrays()).getConfig(Arguments.class);

  @ParameterizedTest
  @ValueSource(classes = {String[].class, Long[].class, Integer[].class})
  @DisplayName("arrays reach the driver as they are, not as SQL arrays in text")
  void asTheyAre(Class<?> type) throws Exception {
    List<String> calls = new ArrayList<>();
    PreparedStatement statement =
        (PreparedStatement)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {PreparedStatement.class},
                (proxy, method, parameters) -> {
                  calls.add(method.getName());
                  return null;
                });
    Object array = Array.newInstance(type.getComponentType(), 1);
    arguments.prepareFor(type).orElseThrow().apply(array).apply(1, statement, null);
    assertThat(calls).containsExactly("setObject");
  }
}
