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
  /** Called after each batch. */
  readonly progress?: (done: number) => void;
}

/** Requests under way at a time. */
const batchSize = 100;
/** A request without an answer after this long has hung, in milliseconds. */
const patienceMs = 20_000;

/** Sends requests until there are as many findings as anybody reads. */
export async function fuzz(
  target: Target,
  { seed, count, stallLimitMs, progress }: Fuzzing,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  await target.vitals();
  for (let start = 0; start < count && findings.length < 20 && target.isAlive(); start += batchSize) {
    const indices = Array.from({ length: Math.min(batchSize, count - start) }, (_, i) => start + i);
    const found = await Promise.all(indices.map((index) => attempt(target, seed, index)));
    findings.push(...found.filter((one) => one !== undefined));
    const { longestStallMs } = await target.vitals();
    if (longestStallMs > stallLimitMs)
      findings.push(...(await findStall(target, seed, indices, stallLimitMs)));
    progress?.(start + indices.length);
  }
  return findings;
}

async function attempt(target: Target, seed: number, index: number): Promise<Finding | undefined> {
  const request = requestAt(seed, index);
  const what = await harmOf(target, request);
  if (what === undefined) return undefined;
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
  for (const make of smaller) {
    const next = make(best);
    if ((await harmOf(target, next)) !== undefined) best = next;
  }
  return best;
}

/** The requests of a batch one by one, twice: the machine has other work too. */
async function findStall(
  target: Target,
  seed: number,
  indices: readonly number[],
  stallLimitMs: number,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const index of indices) {
    const request = requestAt(seed, index);
    let best = Number.POSITIVE_INFINITY;
    for (let again = 0; again < 2 && best > stallLimitMs; again++) {
      await harmOf(target, request);
      best = Math.min(best, (await target.vitals()).longestStallMs);
    }
    if (best > stallLimitMs) findings.push({ index, what: `stalls for ${Math.round(best)} ms`, request });
  }
  return findings;
}
