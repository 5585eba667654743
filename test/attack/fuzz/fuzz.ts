import { setTimeout as sleep } from "node:timers/promises";
import { isUpstream, type Target } from "../target.ts";
import { type FuzzRequest, requestAt, urlOf } from "./request.ts";

export interface Finding {
  /** The request's index, from which the request can be made again with the seed. */
  readonly index: number;
  readonly what: string;
  readonly request: FuzzRequest;
}

export interface Fuzzing {
  readonly seed: number;
  readonly count: number;
  /** The limit of a stall, in milliseconds. */
  readonly stallLimitMs: number;
  /** Called for each finding as it is made. */
  readonly found?: (finding: Finding) => void;
  /** Called after each round. */
  readonly progress?: (progress: Progress) => void;
}

export interface Progress {
  readonly done: number;
  /** The longest stall of the round, with the machine's other work in it. */
  readonly stallMs: number;
  /** Resident memory, in bytes. */
  readonly rss: number;
}

/** The number of requests between two checks of the server. */
const roundSize = 1_000;
/** The number of concurrent requests. */
const atOnce = 64;
/** The time after which a request without an answer has hung, in milliseconds. */
const patienceMs = 20_000;

/** The longest time for reducing a request, in milliseconds. */
const shrinkMs = 30_000;

/** Sends requests until all are sent or there are 20 findings. */
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

/** Sends a round of requests and returns those that took as long as a stall. */
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

/** Returns the finding with its request reduced. A harm that does not repeat may be another request's. */
async function confirm(target: Target, { index, what, request }: Finding): Promise<Finding> {
  const again = await harmOf(target, request);
  if (again === undefined) return { index, what: `${what} (not when sent again)`, request };
  return { index, what, request: await shrink(target, request) };
}

/** Returns the harm that a request did; undefined when it did none. */
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

/** Messages about a timeout or revision that the client itself has set. */
const ownTime = /did not complete within|Too large resource version/;

/** Returns the request without the parts that the harm does not need. */
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

/** Finds the slow request that stalls the server. The machine does other work too, so each has two tries. */
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
