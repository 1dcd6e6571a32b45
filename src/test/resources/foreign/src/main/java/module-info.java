/** Holdfast is an automatic module, which does not name the parts of the JDK that it needs. */
module shop {
  requires dev.holdfast;
  requires java.se;
  requires org.postgresql.jdbc;
}
