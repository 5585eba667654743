import { StatusError, errors, type Status } from "../../meta/status.ts";
import { errorText } from "../../util/error-text.ts";

/** How an exec or attach ended, as the client's error stream tells it (apimachinery `util/remotecommand`). */
export interface Outcome {
  /** JSON, from protocol version 4 on. */
  readonly status: object;
  /** Before: nothing for success, else words. */
  readonly text: string;
}

export const success: Outcome = { status: { metadata: {}, status: "Success" }, text: "" };

export function exitOutcome(code: number): Outcome {
  if (code === 0) return success;
  const message = `command terminated with non-zero exit code: exit status ${code}`;
  const details = { causes: [{ reason: "ExitCode", message: String(code) }] };
  return {
    status: { metadata: {}, status: "Failure", message, reason: "NonZeroExitCode", details },
    text: message,
  };
}

/** `doing` says what could not be done, e.g. `error executing command in container`. */
export function failureOutcome(doing: string, error: unknown): Outcome {
  const { status } = error instanceof StatusError ? error : errors.internal(`${doing}: ${errorText(error)}`);
  return { status: status satisfies Status, text: status.message ?? "" };
}
