/** The result of a number of equal calls. */
export interface SlowStart {
  readonly succeeded: number;
  /** The error of the first failed call. */
  readonly error: unknown;
}

/**
 * Makes `count` calls in batches of 1, 2, 4, …, so that one common cause fails few calls. After a batch with
 * a failure, or once `stop` returns true, no further batch begins.
 */
export async function slowStart(
  count: number,
  call: () => Promise<unknown>,
  stop: () => boolean = () => false,
): Promise<SlowStart> {
  let succeeded = 0;
  for (let size = Math.min(1, count); size > 0 && !stop(); size = Math.min(2 * size, count - succeeded)) {
    const results = await Promise.allSettled(Array.from({ length: size }, call));
    const failed = results.filter((one) => one.status === "rejected");
    succeeded += size - failed.length;
    if (failed[0] !== undefined) return { succeeded, error: failed[0].reason };
  }
  return { succeeded, error: undefined };
}
