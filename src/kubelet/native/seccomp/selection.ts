import { ConfigurationError } from "../../../meta/component-configuration.ts";
import type { PlacedRule } from "./decisions.ts";
import type { Architecture, KernelVersion, Requirement, SeccompProfile } from "./profile.ts";

/** The facts that a filter depends on besides its profile. */
export interface Container {
  /** The machine's, in Node's spelling (`process.arch`). */
  readonly architecture: "x64" | "arm64";
  /** The container's bounding set, in any spelling: `CAP_SYS_ADMIN` or `sys_admin`. */
  readonly capabilities: readonly string[];
  /** The kernel's release, such as `6.12.0-1-amd64` (uname(2)). */
  readonly kernel: string;
}

/** The machine's architecture in Go's spelling, and in libseccomp's. */
const names: Readonly<Record<Container["architecture"], { go: string; own: Architecture }>> = {
  x64: { go: "amd64", own: "SCMP_ARCH_X86_64" },
  arm64: { go: "arm64", own: "SCMP_ARCH_AARCH64" },
};

/** Returns the architectures that the profile names for this machine. */
export function chosenArchitectures(
  { architectures, archMap }: SeccompProfile,
  { architecture }: Container,
): ReadonlySet<Architecture> {
  const entry = archMap.find((one) => one.architecture === names[architecture].own);
  return new Set([...architectures, ...(entry?.subArchitectures ?? [])]);
}

/** Returns the rules whose requirements the container fulfils (moby/profiles `setupSeccomp`). */
export function activeRules({ syscalls }: SeccompProfile, container: Container): readonly PlacedRule[] {
  const facts: Facts = {
    capabilities: new Set(container.capabilities.map(canonicalCapability)),
    architecture: names[container.architecture].go,
    kernel: kernelVersion(container.kernel),
  };
  return syscalls
    .map((rule, index) => ({ rule, index }))
    .filter(({ rule: { includes, excludes } }) => {
      return (includes === undefined || isMet(includes, facts)) && !(excludes && isTouched(excludes, facts));
    });
}

interface Facts {
  readonly capabilities: ReadonlySet<string>;
  readonly architecture: string;
  readonly kernel: KernelVersion;
}

/** Reports if all parts of a requirement hold. */
function isMet({ caps, arches, minKernel }: Requirement, facts: Facts): boolean {
  return (
    caps.every((one) => facts.capabilities.has(one)) &&
    (arches.length === 0 || arches.includes(facts.architecture)) &&
    (minKernel === undefined || isAtLeast(facts.kernel, minKernel))
  );
}

/** Reports if any part of a requirement holds. */
function isTouched({ caps, arches, minKernel }: Requirement, facts: Facts): boolean {
  return (
    caps.some((one) => facts.capabilities.has(one)) ||
    arches.includes(facts.architecture) ||
    (minKernel !== undefined && isAtLeast(facts.kernel, minKernel))
  );
}

function canonicalCapability(name: string): string {
  return `CAP_${name.toUpperCase().replace(/^CAP_/, "")}`;
}

function isAtLeast(version: KernelVersion, least: KernelVersion): boolean {
  return version.kernel > least.kernel || (version.kernel === least.kernel && version.major >= least.major);
}

/** Parses a kernel's release. @throws ConfigurationError */
function kernelVersion(release: string): KernelVersion {
  const [, kernel, major] = /^(\d+)\.(\d+)/.exec(release) ?? [];
  if (kernel === undefined || major === undefined)
    throw new ConfigurationError(`cannot read the version of the kernel ${JSON.stringify(release)}`);
  return { kernel: Number(kernel), major: Number(major) };
}
