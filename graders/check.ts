// Grades counts.json, how many entries each section gets, against the counts that the task expects.
//
// Plain type annotations only, so that Node can also run this file by stripping them (no enum, no namespace).
import { readFileSync } from "node:fs";

type Counts = Record<string, number>;
type Check = { name: string; passed: boolean; message: string };

function counts(): Counts {
  try {
    const found: unknown = JSON.parse(readFileSync("counts.json", "utf8"));
    return typeof found === "object" && found !== null ? (found as Counts) : {};
  } catch (error) {
    console.error(error);
    return {};
  }
}

const expected: Counts = JSON.parse(process.env.SKILLGRADE_INPUT ?? "{}").expected;
const found = counts();
const checks: Check[] = Object.keys(expected).map((section) => ({
  name: section,
  passed: found[section] === expected[section],
  message: `${section}: expected ${expected[section]}, got ${found[section] ?? "nothing"}`,
}));
const surplus = Object.keys(found).filter((section) => !(section in expected));
const empty = Object.keys(found).length === 0;
checks.push({
  name: "nothing-else",
  passed: !empty && surplus.length === 0,
  message: empty ? "no sections at all" : surplus.length > 0 ? `unexpected: ${surplus.join(", ")}` : "no other sections",
});

const passed = checks.filter((check) => check.passed).length;
console.log(
  JSON.stringify({
    score: Number((passed / checks.length).toFixed(2)),
    details: `${passed} of ${checks.length} checks passed`,
    checks,
  }),
);
