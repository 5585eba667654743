import { type FieldError, invalid, requiredValue, root } from "../../meta/field-error.ts";
import { parseRequestUri, UrlError } from "../../meta/validation/url.ts";
import type { CustomResourceDefinition as Definition } from "./v1/custom-resource-definition.ts";

const approvalKey = "api-approved.kubernetes.io";
const approvalLink = "see https://github.com/kubernetes/enhancements/pull/1111";

/** Kubernetes' own groups are for reviewed APIs (KEP-1111). An update need not say so if nothing changes. */
export function* validateApproval(
  definition: Definition,
  old: Definition | undefined,
): Generator<FieldError> {
  const { group } = definition.spec;
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return;
  const state = approvalState(definition);
  if (old !== undefined && approvalState(old) === state) return;
  const place = root.child("metadata", "annotations").key(approvalKey);
  const needs = `protected groups must have approval annotation ${JSON.stringify(approvalKey)}`;
  if (state === "missing") yield requiredValue(place, `${needs}, ${approvalLink}`);
  if (state === "invalid") {
    const detail = `${needs} with either a URL or a reason starting with "unapproved", ${approvalLink}`;
    yield invalid(place, definition.metadata.annotations?.[approvalKey], detail);
  }
}

function approvalState({ metadata }: Definition): "missing" | "bypassed" | "approved" | "invalid" {
  const text = metadata.annotations?.[approvalKey] ?? "";
  if (text === "") return "missing";
  if (text.startsWith("unapproved")) return "bypassed";
  try {
    const { host, scheme } = parseRequestUri(text);
    return host !== "" && scheme !== "" ? "approved" : "invalid";
  } catch (error) {
    if (error instanceof UrlError) return "invalid";
    throw error;
  }
}
