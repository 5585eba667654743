import { StatusError, errors, type Status } from "../meta/status.ts";
import { errorText } from "../util/error-text.ts";

/** The end of an exec or attach, as sent on the client's error stream (apimachinery `util/remotecommand`). */
export interface Outcome {
  /** JSON, for protocol version 4 and later. */
  readonly status: object;
  /** The outcome for earlier versions: empty for success, else a message. */
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

/** `doing` describes the failed operation, e.g. `error executing command in container`. */
export function failureOutcome(doing: string, error: unknown): Outcome {
  const { status } = error instanceof StatusError ? error : errors.internal(`${doing}: ${errorText(error)}`);
  return { status: status satisfies Status, text: status.message ?? "" };
}
