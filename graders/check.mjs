// Grades {"version": "..."} in answer.json against the version that the task expects: right or wrong, nothing between.
import { readFileSync } from "node:fs";

const { expected } = JSON.parse(process.env.SKILLGRADE_INPUT);

function answer() {
  try {
    return { version: JSON.parse(readFileSync("answer.json", "utf8"))?.version };
  } catch (error) {
    console.error(error);
    return { problem: error.code === "ENOENT" ? "answer.json is missing" : "answer.json is not JSON" };
  }
}

const { version, problem } = answer();
const message = problem ?? `expected ${expected.version}, got ${JSON.stringify(version) ?? "no version"}`;
const right = version === expected.version;
console.log(
  JSON.stringify({
    score: right ? 1 : 0,
    details: right ? `${version} is right` : message,
    checks: [{ name: "version", passed: right, message }],
  }),
);
