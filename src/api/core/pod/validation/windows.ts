import { type FieldError, type FieldPath, invalid } from "../../../../meta/field-error.ts";
import { subdomainProblems } from "../../../../meta/validation/dns.ts";
import { report } from "../../../../meta/validation/report.ts";
import type { PodSpec } from "../spec.ts";
import type { WindowsSecurityContextOptions } from "../security.ts";
import { containersOf } from "./os.ts";

const maxSpecKiB = 64;

/** Validates the Windows settings of a Pod or a container. */
export function* validateWindowsOptions(
  options: WindowsSecurityContextOptions | undefined,
  path: FieldPath,
): Generator<FieldError> {
  if (options === undefined) return;
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  if (name !== undefined) yield* report(path.child("gmsaCredentialSpecName"), name, subdomainProblems(name));
  const place = path.child("gmsaCredentialSpec");
  if (spec === "") yield invalid(place, spec, "gmsaCredentialSpec cannot be an empty string");
  else if (Buffer.byteLength(spec ?? "") > maxSpecKiB * 1024) {
    yield invalid(place, spec, `gmsaCredentialSpec size must be under ${maxSpecKiB} KiB`);
  }
  if (user !== undefined) yield* report(path.child("runAsUserName"), user, userProblems(user));
}

function userProblems(name: string): readonly string[] {
  if (name === "") return ["runAsUserName cannot be an empty string"];
  // oxlint-disable-next-line no-control-regex -- that is what is looked for
  if (/[\x00-\x1f\x7f]/.test(name)) return ["runAsUserName cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const [user = "", domain] = parts.toReversed();
  return [...(domain === undefined ? [] : domainProblems(domain)), ...localUserProblems(user)];
}

const netBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;
const label = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const dns = new RegExp(`^${label}(?:\\.${label})*$`);
const maxDomain = 256;

function domainProblems(domain: string): readonly string[] {
  const problems: string[] = [];
  if (Buffer.byteLength(domain) >= maxDomain) {
    problems.push(`runAsUserName's Domain length must be under ${maxDomain} characters`);
  }
  if (!netBios.test(domain) && !dns.test(domain)) {
    problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  return problems;
}

const maxUser = 104;

function localUserProblems(user: string): readonly string[] {
  const problems: string[] = [];
  if (user === "") problems.push("runAsUserName's User cannot be empty");
  else if (Buffer.byteLength(user) > maxUser) {
    problems.push(`runAsUserName's User length must not be longer than ${maxUser} characters`);
  }
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    problems.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  }
  return problems;
}

/**
 * Requires that all containers are host processes or none is, and that host processes use the host network.
 */
export function* validateHostProcesses(spec: PodSpec, path: FieldPath): Generator<FieldError> {
  const whole = spec.securityContext?.windowsOptions?.hostProcess;
  let containers = 0;
  let hostProcesses = 0;
  for (const [{ securityContext }, place] of containersOf(spec, path)) {
    const own = securityContext?.windowsOptions?.hostProcess;
    containers += 1;
    if (own ?? whole ?? false) hostProcesses += 1;
    if (own === undefined || whole === undefined || own === whole) continue;
    yield invalid(
      place.child("securityContext", "windowsOptions", "hostProcess"),
      own,
      `pod hostProcess value must be identical if both are specified, was ${whole}`,
    );
  }
  if (hostProcesses === 0) return;
  if (hostProcesses !== containers) {
    const message =
      "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    yield invalid(path, "", message);
  }
  if (spec.hostNetwork !== true) {
    const message = "hostNetwork must be true if pod contains any hostProcess containers";
    yield invalid(path.child("hostNetwork"), false, message);
  }
}
