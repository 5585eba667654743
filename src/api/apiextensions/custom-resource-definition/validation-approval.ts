import { type FieldError, invalid, requiredValue, root } from "../../../meta/field-error.ts";
import { parseRequestUri, UrlError } from "../../../meta/validation/url.ts";
import type { CustomResourceDefinition as Definition } from "./schema.ts";

const approvalKey = "api-approved.kubernetes.io";
const approvalLink = "see https://github.com/kubernetes/enhancements/pull/1111";
const needs = `protected groups must have approval annotation ${JSON.stringify(approvalKey)}`;

/**
 * Requires the approval annotation in Kubernetes' own groups (KEP-1111). An update may keep the stored
 * annotation.
 */
export function* validateApproval(
  definition: Definition,
  old: Definition | undefined,
): Generator<FieldError> {
  const approval = approvalOf(definition);
  if (approval === undefined || (old !== undefined && approvalOf(old)?.state === approval.state)) return;
  const { state, text } = approval;
  const place = root.child("metadata", "annotations").key(approvalKey);
  if (state === "missing") yield requiredValue(place, text);
  if (state === "invalid") yield invalid(place, definition.metadata.annotations?.[approvalKey], text);
}

/** The API review state of a definition, with the reason and message of its condition. */
export interface Approval {
  readonly state: "missing" | "bypassed" | "approved" | "invalid";
  readonly text: string;
}

/** Returns undefined for groups that are not Kubernetes' own. */
export function approvalOf({ metadata, spec }: Definition): Approval | undefined {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(spec.group)) return undefined;
  const annotation = metadata.annotations?.[approvalKey] ?? "";
  if (annotation === "") return { state: "missing", text: `${needs}, ${approvalLink}` };
  if (annotation.startsWith("unapproved")) {
    return { state: "bypassed", text: `not approved: ${JSON.stringify(annotation)}` };
  }
  if (isUrl(annotation)) return { state: "approved", text: `approved in ${annotation}` };
  const text = `${needs} with either a URL or a reason starting with "unapproved", ${approvalLink}`;
  return { state: "invalid", text };
}

function isUrl(text: string): boolean {
  try {
    const { host, scheme } = parseRequestUri(text);
    return host !== "" && scheme !== "";
  } catch (error) {
    if (error instanceof UrlError) return false;
    throw error;
  }
}
