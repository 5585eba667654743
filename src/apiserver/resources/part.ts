import type { KubeObject } from "../../meta/kind.ts";
import type { Part } from "../../meta/strategy.ts";
import { ownValue } from "../../util/table.ts";
import type { ServedResource } from "./served.ts";

const plainStatus: Part<KubeObject> = {};

/**
 * Returns the part of the object that a subresource writes; undefined for a subresource that is not part of
 * the object.
 */
export function partOf(
  { kind, strategy }: ServedResource,
  subresource: string,
): Part<KubeObject> | undefined {
  if (subresource === "status" && !kind.status) return undefined;
  return ownValue(strategy.parts, subresource) ?? (subresource === "status" ? plainStatus : undefined);
}
