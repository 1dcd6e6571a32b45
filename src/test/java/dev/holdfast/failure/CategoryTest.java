package dev.holdfast.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class CategoryTest {
  @Test
  @DisplayName("A5: there are exactly five categories")
  void fiveCategories() {
    assertThat(Arrays.stream(Category.values()).map(Category::wireName))
        .containsExactly("transient", "api_error", "code_error", "system_error", "unknown");
  }

  @Test
  @DisplayName("A5: a wire name is read back in any letter case, another name is none")
  void wireNames() {
    for (Category category : Category.values()) {
      assertThat(Category.ofWireName(category.wireName())).contains(category);
    }
    assertThat(Category.ofWireName(" API_Error ")).contains(Category.API_ERROR);
    assertThat(Category.ofWireName("timeout")).isEmpty();
    assertThat(Category.ofWireName("")).isEmpty();
  }
}
