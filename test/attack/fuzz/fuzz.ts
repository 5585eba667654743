import { setTimeout as sleep } from "node:timers/promises";
import { isUpstream, type Target } from "../target.ts";
import { type FuzzRequest, requestAt, urlOf } from "./request.ts";

export interface Finding {
  /** With the seed, what makes the request again. */
  readonly index: number;
  readonly what: string;
  readonly request: FuzzRequest;
}

export interface Fuzzing {
  readonly seed: number;
  readonly count: number;
  /** In milliseconds. */
  readonly stallLimitMs: number;
  /** Called for each finding as it is made. */
  readonly found?: (finding: Finding) => void;
  /** Called after each round. */
  readonly progress?: (progress: Progress) => void;
}

export interface Progress {
  readonly done: number;
  /** The longest of the round, with the machine's other work in it. */
  readonly stallMs: number;
  /** In bytes. */
  readonly rss: number;
}

/** Requests between two looks at the server. */
const roundSize = 1_000;
/** Requests under way at a time. */
const atOnce = 64;
/** A request without an answer after this long has hung, in milliseconds. */
const patienceMs = 20_000;

/** No longer is a request made smaller, in milliseconds. */
const shrinkMs = 30_000;

/** Sends requests until there are as many findings as anybody reads. */
export async function fuzz(target: Target, options: Fuzzing): Promise<Finding[]> {
  const { count, stallLimitMs, found, progress } = options;
  const findings: Finding[] = [];
  const report = (finding: Finding) => {
    findings.push(finding);
    found?.(finding);
  };
  await target.vitals();
  for (let start = 0; start < count && findings.length < 20 && target.isAlive(); start += roundSize) {
    const end = Math.min(start + roundSize, count);
    const slow = await sendRound(target, options, [start, end], report);
    const { longestStallMs: stallMs, rss } = await target.vitals();
    if (stallMs > stallLimitMs) await findStall(target, options, slow, report);
    progress?.({ done: end, stallMs, rss });
  }
  return findings;
}

type Report = (finding: Finding) => void;
type Range = readonly [start: number, end: number];

/** Returns the requests that took as long as a stall does. */
async function sendRound(
  target: Target,
  { seed, stallLimitMs }: Fuzzing,
  [start, end]: Range,
  report: Report,
): Promise<readonly number[]> {
  const slow: number[] = [];
  let next = start;
  const sendOn = async () => {
    while (next < end) {
      const index = next++;
      const request = requestAt(seed, index);
      const sentAt = performance.now();
      const what = await harmOf(target, request);
      if (performance.now() - sentAt >= stallLimitMs) slow.push(index);
      if (what !== undefined) report(await confirm(target, { index, what, request }));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sendOn));
  return slow;
}

/** The finding with a request as small as can be; the one of many that harm may have been another's. */
async function confirm(target: Target, { index, what, request }: Finding): Promise<Finding> {
  const again = await harmOf(target, request);
  if (again === undefined) return { index, what: `${what} (not when sent again)`, request };
  return { index, what, request: await shrink(target, request) };
}

/** What a request does that none may do. */
async function harmOf(target: Target, request: FuzzRequest): Promise<string | undefined> {
  target.takeTally();
  const { as, method, headers, body } = request;
  const call = { headers, ...(body !== undefined && { body }) };
  const over = new AbortController();
  const late = sleep(patienceMs, "late" as const, { signal: over.signal }).catch(() => undefined);
  const answer = await Promise.race([target.send(as, method, urlOf(request), call), late]);
  over.abort();
  if (answer === "late") return "no answer";
  if (answer === undefined || answer.code === 0) return "hung up";
  return answer.code >= 500 && !isUpstream(answer) && !ownTime.test(answer.text)
    ? `${answer.code}: ${answer.text.slice(0, 300)}`
    : undefined;
}

/** What is said of a time that the client itself has set. */
const ownTime = /did not complete within|Too large resource version/;

/** The request without what it does not take to do the same harm. */
async function shrink(target: Target, request: FuzzRequest): Promise<FuzzRequest> {
  let best = request;
  const smaller: ((one: FuzzRequest) => FuzzRequest)[] = [
    (one) => ({ ...one, as: "admin" }),
    (one) => ({ ...one, query: [] }),
    ...request.query.map((pair) => (one: FuzzRequest) => ({
      ...one,
      query: one.query.filter((other) => other !== pair),
    })),
    ...Object.keys(request.headers).map((name) => (one: FuzzRequest) => {
      const { [name]: _, ...headers } = one.headers;
      return { ...one, headers };
    }),
    (one) => ({ ...one, body: undefined }),
  ];
  const end = performance.now() + shrinkMs;
  for (const make of smaller) {
    if (performance.now() > end) break;
    const next = make(best);
    if ((await harmOf(target, next)) !== undefined) best = next;
  }
  return best;
}

/** Looks among slow requests for the one that stalls. The machine has other work too: each has two tries. */
async function findStall(
  target: Target,
  { seed, stallLimitMs }: Fuzzing,
  slow: readonly number[],
  report: Report,
): Promise<void> {
  for (const index of slow) {
    const request = requestAt(seed, index);
    let best = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 2 && best > stallLimitMs; tries++) {
      await harmOf(target, request);
      best = Math.min(best, (await target.vitals()).longestStallMs);
    }
    if (best > stallLimitMs) report({ index, what: `stalls for ${Math.round(best)} ms`, request });
  }
}
