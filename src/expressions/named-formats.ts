import { hasFormat } from "../api/apiextensions/values/formats.ts";
import type { NamedFormat } from "../cel/libraries/named-formats.ts";
import { labelKeyProblems, labelValueProblems } from "../meta/label-syntax.ts";
import {
  label1035Problems,
  labelProblems,
  maskTrailingDash,
  subdomainProblems,
} from "../meta/validation/dns.ts";
import { parseRequestUri, UrlError } from "../meta/validation/url.ts";
import { table } from "../util/table.ts";

type Problems = NamedFormat["problemsOf"];

const named = (name: string, patternSize: number, problemsOf: Problems): NamedFormat => ({
  name,
  patternSize,
  problemsOf,
});

/** Checks a prefix to which characters will be appended. */
const prefix =
  (problemsOf: Problems): Problems =>
  (text) =>
    problemsOf(maskTrailingDash(text));

/** Makes a check of one of the schemas' formats. */
const schemaFormat =
  (format: string, problem: string): Problems =>
  (text) =>
    hasFormat(text, format) ? [] : [problem];

function uriProblems(text: string): readonly string[] {
  try {
    parseRequestUri(text);
    return [];
  } catch (error) {
    if (error instanceof UrlError) return [error.message];
    throw error;
  }
}

/** The formats that expressions may name, with the sizes of upstream's patterns (`library/format.go`). */
export const kubernetesFormats: Readonly<Record<string, NamedFormat>> = table({
  dns1123Label: named("DNS1123Label", 30, labelProblems),
  dns1123Subdomain: named("DNS1123Subdomain", 60, subdomainProblems),
  dns1035Label: named("DNS1035Label", 30, label1035Problems),
  qualifiedName: named("QualifiedName", 60, labelKeyProblems),
  dns1123LabelPrefix: named("DNS1123LabelPrefix", 30, prefix(labelProblems)),
  dns1123SubdomainPrefix: named("DNS1123SubdomainPrefix", 60, prefix(subdomainProblems)),
  dns1035LabelPrefix: named("DNS1035LabelPrefix", 30, prefix(label1035Problems)),
  labelValue: named("LabelValue", 40, labelValueProblems),
  uri: named("URI", 1103, uriProblems),
  uuid: named("uuid", 70, schemaFormat("uuid", "does not match the UUID format")),
  byte: named("byte", 84, schemaFormat("byte", "invalid base64")),
  date: named("date", 71, schemaFormat("date", "invalid date")),
  datetime: named("datetime", 71, schemaFormat("datetime", "invalid datetime")),
});
