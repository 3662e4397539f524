// expect: text frozen_text
// Does not call the region.
//--- instead of harness.run([&] { step(job); });
harness.run([] {});