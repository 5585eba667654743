/** A report about a step of a start. Plain data, because it is sent between processes. */
export type StepEvent =
  | { readonly type: "begin"; readonly title: string }
  | ({ readonly type: "done"; readonly title: string } & StepOutcome);

export interface StepOutcome {
  /** The result in a few words. */
  readonly detail?: string | undefined;
  /** The disadvantage of a fall-back, and the remedy. */
  readonly fallback?: { readonly why: string; readonly mend: string } | undefined;
}

export interface Step<T, End> {
  /** Steps without a title are not reported. */
  readonly title?: string;
  readonly run: () => T | Promise<T>;
  /** Undoes `run`. It is not called when `run` failed, because `run` then leaves nothing. */
  readonly undo?: (made: T, end: End) => unknown;
  readonly outcome?: (made: T) => StepOutcome;
}

/** The steps of a start with their undo functions. A stop and a failed start undo them in reverse. */
export class Steps<End> {
  readonly #signal: AbortSignal;
  readonly #report: (event: StepEvent) => void;
  readonly #undo: ((end: End) => unknown)[] = [];

  constructor(signal: AbortSignal, report: (event: StepEvent) => void) {
    this.#signal = signal;
    this.#report = report;
  }

  /** @throws the signal's reason when it fired before or during the step */
  async do<T>({ title, run, undo, outcome }: Step<T, End>): Promise<T> {
    this.#signal.throwIfAborted();
    if (title !== undefined) this.#report({ type: "begin", title });
    const made = await run();
    if (undo !== undefined) this.#undo.push((end) => undo(made, end));
    this.#signal.throwIfAborted();
    if (title !== undefined) this.#report({ type: "done", title, ...outcome?.(made) });
    return made;
  }

  /** Undoes every step once, even when some undo fails. @throws the first failure */
  async undo(end: End): Promise<void> {
    const failures: unknown[] = [];
    for (let undo = this.#undo.pop(); undo !== undefined; undo = this.#undo.pop()) {
      try {
        await undo(end);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** Settles as the promise does, or rejects as soon as the signal fires. */
export function unlessAborted<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return Promise.race([promise, aborted.promise]).finally(() => signal.removeEventListener("abort", abort));
}
