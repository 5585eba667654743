/** Work in short steps, between which the caller may do other work. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Takes all steps without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}
