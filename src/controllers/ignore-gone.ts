import { hasReason, type StatusReason } from "../meta/status.ts";

/**
 * Awaits a request about an object that may have been deleted. Resolves to whether the object is gone.
 * @throws any error other than NotFound and the reasons in `more`.
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
