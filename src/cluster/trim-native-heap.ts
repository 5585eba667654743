/**
 * Returns free pages inside the C library's heap to the system (glibc's `malloc_trim`): by default the
 * library returns only those at the heap's end. Does nothing without such a function.
 */
export async function trimNativeHeap(): Promise<void> {
  const { default: koffi } = await import("koffi").catch(() => ({ default: undefined }));
  if (koffi === undefined) return;
  const library = koffi.load(null);
  try {
    const trim = library.func("int malloc_trim(size_t)");
    await new Promise<void>((resolve) => void trim.async(0, () => resolve()));
  } catch {
    // Another C library.
  } finally {
    library.unload();
  }
}
