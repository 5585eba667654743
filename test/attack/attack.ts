import type { Tally, Target } from "./target.ts";
import type { Vitals } from "./server.ts";

/** One way to harm a server. */
export interface Attack {
  /** A sentence on what must not happen, as a test's name: "a JSON patch cannot double its document". */
  readonly name: string;
  /** True for an attack that takes minutes: only `npm run attack` runs it. */
  readonly slow?: true;
  /**
   * Attacks through `target.send`, which counts answers. Answers with 5xx, missing answers, stalls and the server's end
   * are found without help. Any other sign of success is thrown as a {@link Breach}.
   */
  readonly run: (target: Target) => Promise<void>;
}

/** An attack has succeeded. */
export class Breach extends Error {
  override readonly name = "Breach";
}

/** The effects of an attack on the server. */
export interface Outcome extends Tally, Vitals {
  readonly rssBefore: number;
  readonly breach: string | undefined;
  readonly isAlive: boolean;
}

/** Runs an attack. The server may have been attacked before. */
export async function attempt(attack: Attack, target: Target): Promise<Outcome> {
  // There are thousands of slow attacks, and a garbage collection takes longer than most of them.
  const collects = attack.slow !== true;
  const before = await target.vitals(collects);
  target.takeTally();
  let breach: string | undefined;
  try {
    await attack.run(target);
  } catch (error) {
    if (target.isAlive() && !(error instanceof Breach)) throw error;
    breach = error instanceof Error ? error.message : String(error);
  }
  const after = await target.vitals(collects);
  return { ...target.takeTally(), ...after, rssBefore: before.rss, breach, isAlive: target.isAlive() };
}

/** Returns every reason to call the attack a success; empty when the server withstood it. */
export function damage(outcome: Outcome, stallLimitMs: number): readonly string[] {
  const { isAlive, breach, failures, hangUps, longestStallMs } = outcome;
  return [
    ...(isAlive ? [] : ["the server died"]),
    ...(breach === undefined ? [] : [breach]),
    ...failures,
    ...hangUps.map((where) => `no answer: ${where}`),
    ...(longestStallMs > stallLimitMs
      ? [`the event loop stood still for ${Math.round(longestStallMs)} ms (limit ${stallLimitMs} ms)`]
      : []),
  ];
}
