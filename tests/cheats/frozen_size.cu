// expect: text frozen_text
// Computes less than was asked for.
//--- instead of harness.parameter("count", 256)
harness.parameter("count", 1)