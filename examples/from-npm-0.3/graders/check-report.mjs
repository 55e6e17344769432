import fs from 'node:fs';

const { task, expected } = JSON.parse(process.env.SKILLGRADE_INPUT);
let rules = [];
try {
  rules = JSON.parse(fs.readFileSync('report.json', 'utf8')).rules;
} catch (error) {
  console.error(String(error));
}
const found = expected.rules.filter((rule) => rules.includes(rule));

console.log(JSON.stringify({
  score: found.length / expected.rules.length,
  details: `${task}: ${found.length} of ${expected.rules.length} rules reported`,
}));
