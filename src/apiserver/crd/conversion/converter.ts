import type { KubeObject } from "../../../meta/kind.ts";
import { failure, type StatusError } from "../../../meta/status.ts";

/** Converts objects from one version to another without changing them. */
export type Converter = (object: KubeObject, apiVersion: string) => KubeObject | Promise<KubeObject>;

/** The strategy None: versions differ only in their name. */
export const renameVersion: Converter = (object, apiVersion) => ({ ...object, apiVersion });

/** Returns the error for an object that cannot be converted. As upstream, it has a message but no reason. */
export function conversionError(message: string, cause?: unknown): StatusError {
  return failure(500, "", message, undefined, cause);
}
