import { parseArgs } from "node:util";
import { type Attack, attempt, damage, type Outcome } from "./attack.ts";
import { attacks } from "./attacks.ts";
import { type Finding, fuzz, type Progress } from "./fuzz/fuzz.ts";
import { startTarget } from "./target.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    stall: { type: "string" },
    fuzz: { type: "string" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean", short: "h", default: false },
  },
});

if (values.help) {
  process.stdout.write(`Attack a fresh server and print what came of it.

Usage:
  npm run attack -- [--only TEXT] [--stall MS]
  npm run attack -- --fuzz N [--seed S] [--stall MS]

Flags:
  --only TEXT   attacks whose name contains the text
  --stall MS    the longest time that the event loop may stand still (default 100, of requests 250)
  --fuzz N      N requests that may be anything, in place of the attacks
  --seed S      what the requests are made from (default 1)
`);
  process.exit(0);
}

const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20)}`;

if (values.fuzz !== undefined) process.exit(await fuzzAlone(Number(values.fuzz)));

async function fuzzAlone(count: number): Promise<number> {
  const victim = await startTarget();
  const seed = Number(values.seed);
  const start = performance.now();
  const stallLimitMs = Number(values.stall ?? 250);
  const found = ({ index, what, request }: Finding) =>
    process.stdout.write(
      `seed ${seed}, request ${index}: ${what}\n    ${JSON.stringify(request).slice(0, 5_000)}\n`,
    );
  let worstMs = 0;
  const progress = ({ done, stallMs, rss }: Progress) => {
    worstMs = Math.max(worstMs, stallMs);
    if (done % 10_000 !== 0 && done !== count) return;
    const rate = Math.round((done / (performance.now() - start)) * 1000);
    process.stdout.write(
      `${done} requests, ${rate}/s, longest stall ${Math.round(worstMs)} ms, ${mib(rss)} MiB\n`,
    );
  };
  const findings = await fuzz(victim, { seed, count, stallLimitMs, found, progress });
  const survived = victim.isAlive();
  await victim.stop();
  process.stdout.write(
    `${count} requests, findings: ${findings.length}${survived ? "" : "; the server died"}.\n`,
  );
  return findings.length === 0 && survived ? 0 : 1;
}

const stallLimitMs = Number(values.stall ?? 100);
let target = await startTarget();
let harmful = 0;
process.stdout.write(
  `${"attack".padEnd(64)} ${"tried".padStart(7)} ${"refused".padStart(7)} ${"stall ms".padStart(8)} ${"MiB before → after".padStart(18)}\n`,
);
/**
 * The number of tries: the machine does other work too, so an attack that stalls is tried again, and the shortest stall
 * counts.
 */
const attempts = 3;

async function atBest(attack: Attack): Promise<Outcome> {
  let best = await attempt(attack, target);
  for (let again = 1; again < attempts && best.isAlive && best.longestStallMs > stallLimitMs; again++) {
    const next = await attempt(attack, target);
    if (!next.isAlive || next.longestStallMs < best.longestStallMs) best = next;
  }
  return best;
}

/** The slow attacks, which have no lines of their own. */
const worst: { readonly name: string; readonly ms: number }[] = [];
let slowOnes = 0;

function noteSlow(name: string, ms: number): void {
  worst.push({ name, ms });
  worst.sort((a, b) => b.ms - a.ms).splice(10);
  slowOnes += 1;
  if (slowOnes % 500 === 0) process.stdout.write(`… ${slowOnes} slow ones\n`);
}

for (const attack of attacks.filter(({ name }) => name.includes(values.only))) {
  const outcome = await atBest(attack);
  const found = damage(outcome, stallLimitMs);
  // There are thousands of slow attacks: those without harm get no line.
  if (attack.slow === true) noteSlow(attack.name, outcome.longestStallMs);
  if (attack.slow === true && found.length === 0) continue;
  const memory = `${mib(outcome.rssBefore)} → ${mib(outcome.rss)}`;
  process.stdout.write(
    `${attack.name.padEnd(64)} ${String(outcome.tried).padStart(7)} ${String(outcome.refused).padStart(7)} ${String(Math.round(outcome.longestStallMs)).padStart(8)} ${memory.padStart(18)}\n`,
  );
  for (const one of found.slice(0, 5)) process.stdout.write(`    ${one}\n`);
  if (found.length > 5) process.stdout.write(`    … and ${found.length - 5} more\n`);
  if (found.length > 0) harmful += 1;
  if (!outcome.isAlive) {
    await target.stop();
    target = await startTarget();
  }
}
await target.stop();
if (slowOnes > 0) process.stdout.write(`\nThe longest stalls of ${slowOnes} slow ones:\n`);
for (const { name, ms } of worst) process.stdout.write(`${String(Math.round(ms)).padStart(6)} ms  ${name}\n`);
process.stdout.write(harmful === 0 ? "No attack did harm.\n" : `Attacks that did harm: ${harmful}.\n`);
process.exitCode = harmful === 0 ? 0 : 1;
