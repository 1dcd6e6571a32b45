package dev.holdfast.web.console.home;

import dev.holdfast.queue.view.Figures;
import dev.holdfast.queue.view.ModelFigure;
import dev.holdfast.web.console.view.Format;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Makes the use of models by designs, over a whole window. */
final class HomeModels {
  private static final int MOST = 12;

  private HomeModels() {}

  private record Key(String model, String design) {}

  private record Sum(List<ModelFigure> parts) {
    BigDecimal cost() {
      return parts.stream()
          .map(ModelFigure::costUsd)
          .filter(Objects::nonNull)
          .reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    long tokens() {
      return parts.stream().mapToLong(each -> each.tokensIn() + each.tokensOut()).sum();
    }

    Overview.ModelLine line(Key key) {
      boolean priced = parts.stream().anyMatch(each -> each.costUsd() != null);
      return new Overview.ModelLine(
          key.model(),
          key.design(),
          parts.stream().mapToLong(ModelFigure::answers).sum(),
          parts.stream().mapToLong(ModelFigure::tokensIn).sum(),
          parts.stream().mapToLong(ModelFigure::tokensOut).sum(),
          priced ? Format.money(cost()) : "no price");
    }
  }

  static List<Overview.ModelLine> of(Figures figures) {
    Map<Key, Sum> sums = new LinkedHashMap<>();
    for (ModelFigure each : figures.models()) {
      String provider = each.provider().isEmpty() ? "" : each.provider() + "/";
      Key key = new Key(provider + Overview.model(each), each.design());
      sums.computeIfAbsent(key, any -> new Sum(new ArrayList<>())).parts().add(each);
    }
    return sums.entrySet().stream()
        .sorted(
            Map.Entry.comparingByValue(
                Comparator.comparing(Sum::cost).thenComparing(Sum::tokens).reversed()))
        .limit(MOST)
        .map(each -> each.getValue().line(each.getKey()))
        .toList();
  }
}
