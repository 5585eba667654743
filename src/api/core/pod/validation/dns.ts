import { type FieldError, type FieldPath, invalid, requiredValue } from "../../../../meta/field-error.ts";
import { underscoredSubdomainProblems } from "../../../../meta/validation/dns.ts";
import { validateIp } from "../../../../meta/validation/ip.ts";
import { report } from "../../../../meta/validation/report.ts";
import type { PodDNSConfig } from "../spec.ts";

/** The limits of the C library's resolver. */
const maxServers = 3;
const maxSearches = 32;
const maxSearchCharacters = 2048;

export function* validateDnsConfig(
  config: PodDNSConfig | undefined,
  policy: string | undefined,
  path: FieldPath,
): Generator<FieldError> {
  const { nameservers = [], searches = [], options = [] } = config ?? {};
  if (policy === "None") {
    if (config === undefined) {
      yield requiredValue(path, "must provide `dnsConfig` when `dnsPolicy` is None");
      return;
    }
    if (nameservers.length === 0) {
      yield requiredValue(
        path.child("nameservers"),
        "must provide at least one DNS nameserver when `dnsPolicy` is None",
      );
      return;
    }
  }
  if (nameservers.length > maxServers) {
    yield invalid(
      path.child("nameservers"),
      nameservers,
      `must not have more than ${maxServers} nameservers`,
    );
  }
  for (const [i, server] of nameservers.entries()) {
    yield* validateIp(server, path.child("nameservers").index(i));
  }
  yield* validateSearches(searches, path.child("searches"));
  for (const [i, { name }] of options.entries()) {
    if (name === undefined) yield requiredValue(path.child("options").index(i), "must not be empty");
  }
}

function* validateSearches(searches: readonly string[], path: FieldPath): Generator<FieldError> {
  if (searches.length > maxSearches) {
    yield invalid(path, searches, `must not have more than ${maxSearches} search paths`);
  }
  if (searches.join(" ").length > maxSearchCharacters) {
    yield invalid(
      path,
      searches,
      `must not have more than ${maxSearchCharacters} characters (including spaces) in the search list`,
    );
  }
  for (const [i, search] of searches.entries()) {
    if (search === ".") continue;
    const domain = search.replace(/\.$/, "");
    yield* report(path.index(i), domain, underscoredSubdomainProblems(domain));
  }
}
