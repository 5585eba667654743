import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { errors } from "../../meta/status.ts";
import { systemClock } from "../../util/clock.ts";
import type { Job, JobAnswer } from "./jobs.ts";

/**
 * The thread that reads and writes YAML: its library takes microseconds for each line, seconds for a large text. One
 * job at a time; the thread ends when there is none left, and takes its memory with it.
 */

/** In development the worker runs from source, in the package it is compiled; it always stands beside this file. */
const workerFile = new URL(`./yaml-worker${extname(import.meta.url)}`, import.meta.url);

/** The thread is real, whatever time the cluster lives in. A body of the largest size takes some seconds. */
const mostMs = 30_000;
/** A text of 1 MiB takes a tenth of it. */
/** One client's long texts must not keep others waiting for minutes: beyond so many, a job is refused at once. */
const mostWaiting = 16;
const resourceLimits = { maxOldGenerationSizeMb: 1024 };

/** The thread gave no answer: it took too long, or too much memory. */
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
    // These alone: Node has listeners of its own on a worker, without which it hears no further message.
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
