import { hasReason, type StatusReason } from "../meta/status.ts";

/**
 * Waits for a request about an object that may be gone by now. Answers whether it is.
 * @throws any other error than NotFound, and than the `more` that mean the same to the caller.
 */
export async function ignoreGone(
  request: Promise<unknown>,
  ...more: readonly StatusReason[]
): Promise<boolean> {
  try {
    await request;
    return false;
  } catch (error) {
    if (hasReason(error, "NotFound", ...more)) return true;
    throw error;
  }
}
