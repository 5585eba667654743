import type { KubeObject } from "../../../meta/kind.ts";
import { failure, type StatusError } from "../../../meta/status.ts";

/** Turns objects of one version into objects of another one. Neither is changed. */
export type Converter = (object: KubeObject, apiVersion: string) => KubeObject | Promise<KubeObject>;

/** The strategy None: versions differ in nothing but their name. */
export const renameVersion: Converter = (object, apiVersion) => ({ ...object, apiVersion });

/** What clients hear when an object cannot be converted: upstream gives no reason but the message. */
export function conversionError(message: string, cause?: unknown): StatusError {
  return failure(500, "", message, undefined, cause);
}
