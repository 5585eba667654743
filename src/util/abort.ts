/**
 * The reason of an abort that nobody reads. Without a reason, each `abort()` makes an error with a stack: for ten thousand
 * containers, that takes a tenth of a second.
 */
export const aborted = new DOMException("This operation was aborted", "AbortError");
