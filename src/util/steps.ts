/** Work in steps that are each short: its caller may do other work between two of them. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Takes all steps without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
