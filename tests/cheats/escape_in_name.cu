// expect: verified wrong_result
// An output whose name clears the screen of whoever reads the verdict.
// own parent: only the sandbox and the judge stand against it
//--- instead of harness.output("result",
harness.output("\033[2Jresult",
