// expect: text frozen_text
// Passes whatever comes out.
//--- instead of cuco::within(1e-5, 1e-5)
cuco::within(1e30, 1e30)