// The style sheet of the report: one set of colours for light and one for dark screens.
#pragma once

namespace cuco::report {

inline constexpr const char* kStyleSheet = R"(
:root { color-scheme: light dark; --ground: #fff; --ink: #1c2128; --faint: #d5dae0; --panel: #f4f6f8; --good: #1a7f37;
  --bad: #c0392b; --curve: #0b62c4; --heat: 11, 98, 196;
  --k0: #4878a8; --k1: #c8803c; --k2: #5a9a5a; --k3: #b05a6a; --k4: #8a72b0; --k5: #9a7a50; --k6: #5aa0a8; --k7: #a09a4a; }
@media (prefers-color-scheme: dark) { :root { --ground: #14181d; --ink: #dde3ea; --faint: #3a424c; --panel: #1d232a;
  --good: #56c271; --bad: #f08a7c; --curve: #6cb0ff; --heat: 90, 160, 250;
  --k0: #6f9fd0; --k1: #dc9c60; --k2: #7cbc7c; --k3: #d07e8e; --k4: #ab95d2; --k5: #bc9c72; --k6: #7cc2ca; --k7: #c2bc6c; } }
body { background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; max-width: 1000px;
  margin: 2em auto; padding: 0 1em; }
table { border-collapse: collapse; margin: .6em 0; } th, td { text-align: left; vertical-align: top;
  padding: .2em .7em .2em 0; border-bottom: 1px solid var(--faint); }
.wide { overflow-x: auto; } tr.best td { font-weight: bold; } tr.failed td { color: var(--bad); }
a { color: var(--curve); } svg { width: 100%; height: auto; background: var(--panel); margin: .4em 0; }
svg text { font-size: 11px; fill: var(--ink); } svg .end { text-anchor: end; } svg .middle { text-anchor: middle; }
.axis { stroke: var(--faint); } .level { stroke: var(--ink); stroke-dasharray: 6 4; opacity: .5; }
.bound { stroke: var(--good); stroke-dasharray: 2 3; } .curve { fill: none; stroke: var(--curve); stroke-width: 2; }
.point { fill: var(--curve); } circle.best { fill: var(--good); } .rejected { fill: none; stroke: var(--bad); }
.kind0 { fill: var(--k0); background: var(--k0); } .kind1 { fill: var(--k1); background: var(--k1); }
.kind2 { fill: var(--k2); background: var(--k2); } .kind3 { fill: var(--k3); background: var(--k3); }
.kind4 { fill: var(--k4); background: var(--k4); } .kind5 { fill: var(--k5); background: var(--k5); }
.kind6 { fill: var(--k6); background: var(--k6); } .kind7 { fill: var(--k7); background: var(--k7); }
.link { fill: var(--ink); background: var(--ink); opacity: .55; }
.swatch { display: inline-block; width: 1em; height: .8em; margin: 0 .3em 0 .8em; }
.heat td { border: 1px solid var(--faint); padding: .2em .5em; font-size: 12px; } .heat th { min-width: 5.5em; }
.untried { opacity: .45; } .heat0 { border-color: var(--bad) !important; } .heat1 { background: rgba(var(--heat), .08); }
.heat2 { background: rgba(var(--heat), .18); } .heat3 { background: rgba(var(--heat), .30); }
.heat4 { background: rgba(var(--heat), .42); } .heat5 { background: rgba(var(--heat), .55); }
.lineage li.way { font-weight: bold; } .lineage li.way li:not(.way) { font-weight: normal; }
.lineage li.failed { color: var(--bad); }
pre { background: var(--panel); padding: .8em; overflow-x: auto; font: 12px/1.4 ui-monospace, monospace; }
.diff span { display: block; min-height: 1.4em; } .added { color: var(--good); } .removed { color: var(--bad); }
.hunk { color: var(--curve); }
)";

}  // namespace cuco::report
