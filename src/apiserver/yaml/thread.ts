import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { errors } from "../../meta/status.ts";
import { systemClock } from "../../util/clock.ts";
import type { Job, JobAnswer } from "./jobs.ts";

/**
 * The thread that parses and writes YAML: the library takes microseconds for each line, seconds for a large
 * text. It runs one job at a time, and ends without jobs, which frees its memory.
 */

/**
 * The worker runs from source in development, and compiled in the package; its file is always beside this
 * one.
 */
const workerFile = new URL(`./yaml-worker${extname(import.meta.url)}`, import.meta.url);

/** The thread runs on real time, even on a virtual clock. A body of the greatest size takes some seconds. */
const mostMs = 30_000;
/**
 * The greatest number of waiting jobs, so that one client's long texts do not block others for minutes:
 * further jobs are refused.
 */
const mostWaiting = 16;
/** A text of 1 MiB takes a tenth of this memory. */
const resourceLimits = { maxOldGenerationSizeMb: 1024 };

/** The thread gave no answer: the job took too long, or too much memory. */
export class YamlThreadError extends Error {
  override readonly name = "YamlThreadError";
}

let worker: Worker | undefined;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/** @throws YamlThreadError, StatusError 429 */
export function runJob(job: Job): Promise<JobAnswer> {
  if (waiting >= mostWaiting)
    return Promise.reject(
      errors.tooManyRequests("too much YAML is being converted, please try again later", 1),
    );
  waiting += 1;
  const done = last.then(() => run(job));
  last = done.catch(() => {}).then(endWhenIdle);
  return done;
}

async function run(job: Job): Promise<JobAnswer> {
  worker ??= new Worker(workerFile, { resourceLimits });
  const current = worker;
  const { promise, resolve, reject } = Promise.withResolvers<JobAnswer>();
  const fail = (why: string) => {
    if (worker === current) worker = undefined;
    reject(new YamlThreadError(why));
  };
  const timer = systemClock.after(mostMs, () => {
    fail("it takes too long");
    void current.terminate();
  });
  const onError = (error: Error) => fail(error.message);
  const onExit = () => fail("the thread ended");
  current.once("message", resolve).once("error", onError).once("exit", onExit);
  current.postMessage(job, []);
  try {
    return await promise;
  } finally {
    timer.cancel();
    // Removes only these: without Node's own listeners the worker's messages would be lost.
    current.off("message", resolve).off("error", onError).off("exit", onExit);
  }
}

async function endWhenIdle(): Promise<void> {
  waiting -= 1;
  const idle = worker;
  if (waiting > 0 || idle === undefined) return;
  worker = undefined;
  await idle.terminate();
}
