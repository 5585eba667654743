/**
 * Gives back the pages that the C library's heap has free between others (`malloc_trim` of glibc): by itself it gives
 * back only what is free at the heap's end. Does nothing where there is no such function.
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
