import { type FieldError, invalid, requiredValue, root } from "../../../meta/field-error.ts";
import { parseRequestUri, UrlError } from "../../../meta/validation/url.ts";
import type { CustomResourceDefinition as Definition } from "./schema.ts";

const approvalKey = "api-approved.kubernetes.io";
const approvalLink = "see https://github.com/kubernetes/enhancements/pull/1111";
const needs = `protected groups must have approval annotation ${JSON.stringify(approvalKey)}`;

/** Kubernetes' own groups are for reviewed APIs (KEP-1111). An update need not say so if nothing changes. */
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

/** How a definition's API was reviewed, and what to say of it. */
export interface Approval {
  readonly state: "missing" | "bypassed" | "approved" | "invalid";
  readonly text: string;
}

/** undefined for groups that are not Kubernetes' own. */
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
