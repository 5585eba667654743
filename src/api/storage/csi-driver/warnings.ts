import { deepEqual } from "../../../util/deep-equal.ts";
import type { CSIDriver } from "./schema.ts";

/** Warns about token requests, only if they change. */
export function driverWarnings({ spec }: CSIDriver, old: CSIDriver | undefined): readonly string[] {
  const { tokenRequests = [], serviceAccountTokenInSecrets } = spec;
  const isNew = !deepEqual(tokenRequests, old?.spec.tokenRequests ?? []);
  if (!isNew || serviceAccountTokenInSecrets !== undefined) return [];
  return [
    "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes",
  ];
}
