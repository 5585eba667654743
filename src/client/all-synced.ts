/** Resolves once all informers have their initial state or the signal has fired. Callers check the signal. */
export async function allSynced(
  signal: AbortSignal,
  ...informers: readonly { whenSynced(): Promise<void> }[]
): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  const stop = () => stopped.resolve();
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  await Promise.race([Promise.all(informers.map((one) => one.whenSynced())), stopped.promise]);
  signal.removeEventListener("abort", stop);
}
