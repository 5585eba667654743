import { Taint } from "../api/core/v1/scheduling.ts";
import { checkSysctlPatterns } from "../kubelet/allocation/sysctls.ts";
import type { EvictionSettings } from "../kubelet/eviction/thresholds.ts";
import type { LogSettings } from "../kubelet/logs/log-rotation.ts";
import type { Kubelet } from "../kubelet/kubelet.ts";
import { ConfigurationError, decodeStrictly, parseConfiguration } from "../meta/component-configuration.ts";
import {
  boolean,
  int32,
  int64,
  list,
  messages,
  optional,
  type Out,
  pointer,
  string,
} from "../meta/schema.ts";
import { isCidr } from "../meta/validation/ip.ts";
import { errorText } from "../util/error-text.ts";
import { isObject } from "../util/is-object.ts";
import { refusedFields, unobeyedFields } from "./kubelet-configuration-fields.ts";
import { evictionFields, evictionSettings, millis, shownEviction } from "./kubelet-eviction.ts";
import { logFields, logSettings, shownLogs } from "./kubelet-logs.ts";
import { kubeletPort } from "./kubelet-server.ts";

const kind = { apiVersion: "kubelet.config.k8s.io/v1beta1", kind: "KubeletConfiguration" } as const;

/** KubeletConfiguration: the fields that are obeyed. The field numbers are arbitrary. */
const message = messages("kubelet.config.k8s.io.v1beta1");

const Enabled = message("KubeletAnonymousAuthentication", "A way of authentication.", {
  enabled: pointer(1, boolean, "Whether it is used."),
  cacheTTL: optional(2, string, "The time for which an answer is remembered."),
});
const X509 = message("KubeletX509Authentication", "Client certificates.", {
  clientCAFile: optional(1, string, "The authority of clients' certificates."),
});
const Authentication = message("KubeletAuthentication", "The callers of the server.", {
  x509: pointer(1, X509, "Client certificates."),
  webhook: pointer(2, Enabled, "Tokens, reviewed by the API server."),
  anonymous: pointer(3, Enabled, "Callers without credentials."),
});
const Authorization = message("KubeletAuthorization", "The permissions of callers.", {
  mode: optional(1, string, "`Webhook` or `AlwaysAllow`."),
});

const CrashLoopBackOff = message(
  "CrashLoopBackOffConfig",
  "The back-off of containers that end again and again.",
  {
    maxContainerRestartPeriod: optional(1, string, "The greatest delay before a restart."),
  },
);

const Schema = message(kind.kind, "The configuration of a kubelet.", {
  kind: optional(1, string, "KubeletConfiguration."),
  apiVersion: optional(2, string, "kubelet.config.k8s.io/v1beta1."),
  address: optional(3, string, "The address of the server."),
  port: pointer(4, int32, "The port of the server."),
  tlsCertFile: optional(5, string, "The serving certificate."),
  tlsPrivateKeyFile: optional(6, string, "The serving certificate's key."),
  serverTLSBootstrap: optional(7, boolean, "Whether the serving certificate is requested from the cluster."),
  authentication: pointer(8, Authentication, "The callers of the server."),
  authorization: pointer(9, Authorization, "The permissions of callers."),
  clusterDomain: optional(10, string, "The domain of the cluster."),
  clusterDNS: optional(11, list(string), "The resolvers of Pods."),
  maxPods: pointer(12, int32, "The number of Pods."),
  podCIDR: optional(13, string, "The addresses of Pods."),
  podPidsLimit: pointer(14, int64, "The number of processes of a Pod."),
  registerWithTaints: optional(15, list(Taint), "The taints of a new node."),
  ...evictionFields,
  ...logFields,
  crashLoopBackOff: pointer(31, CrashLoopBackOff, "The back-off of containers that end again and again."),
  allowedUnsafeSysctls: optional(30, list(string), "The sysctls beyond the safe ones that Pods may set."),
});

/** A KubeletConfiguration with its defaults. */
export interface KubeletConfiguration {
  readonly address: string;
  readonly port: number;
  readonly tlsCertFile: string | undefined;
  readonly tlsPrivateKeyFile: string | undefined;
  readonly serverTLSBootstrap: boolean;
  readonly anonymous: boolean;
  readonly webhook: boolean;
  readonly clientCAFile: string | undefined;
  readonly authorization: "Webhook" | "AlwaysAllow";
  readonly clusterDomain: string;
  readonly clusterDNS: readonly string[];
  readonly maxPods: number;
  readonly podCIDR: string | undefined;
  readonly podPidsLimit: number | undefined;
  readonly registerWithTaints: readonly Taint[];
  readonly eviction: EvictionSettings;
  readonly logs: LogSettings;
  readonly allowedUnsafeSysctls: readonly string[];
  /** The greatest delay before a restart of a container. */
  readonly maxRestartMs: number;
}

/** The values of fields that must be as they are by default. */
const fixed: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["enableServer", true],
  ["enableDebuggingHandlers", true],
  ["registerNode", true],
  ["readOnlyPort", 0],
  ["runOnce", false],
]);

/** Returns the configuration without a file: upstream's defaults. */
export const defaultKubeletConfiguration = withDefaults({ clusterDNS: [], registerWithTaints: [] });

/**
 * Reads a KubeletConfiguration in YAML or JSON. `warn` is called with the name of each field that is not obeyed and
 * whose absence changes nothing that a Pod relies on. @throws ConfigurationError for fields that are refused
 */
export function readKubeletConfiguration(text: string, warn: (field: string) => void): KubeletConfiguration {
  const value = parseConfiguration(text, kind);
  const kept: [string, unknown][] = [];
  for (const [name, field] of Object.entries(isObject(value) ? value : {})) {
    if (fixed.has(name)) {
      if (field === fixed.get(name)) continue;
      throw new ConfigurationError(
        `${name}: Invalid value: must be ${String(fixed.get(name))}: this kubelet knows no other`,
      );
    }
    if (refusedFields.has(name))
      throw new ConfigurationError(`${name}: Forbidden: this kubelet does not obey it`);
    if (unobeyedFields.has(name)) warn(name);
    else kept.push([name, field]);
  }
  return withDefaults(decodeStrictly(Schema, Object.fromEntries(kept)));
}

function withDefaults(read: Partial<Out<typeof Schema>>): KubeletConfiguration {
  const { authentication, authorization, port = kubeletPort, maxPods = 110, podPidsLimit } = read;
  const mode = nonEmpty(authorization?.mode) ?? "Webhook";
  if (mode !== "Webhook" && mode !== "AlwaysAllow")
    throw new ConfigurationError(`unrecognized authorization mode: ${JSON.stringify(mode)}`);
  if (port < 1 || port > 65_535)
    throw new ConfigurationError(
      `invalid configuration: port: Invalid value: ${port}: must be between 1 and 65535, inclusive`,
    );
  if (maxPods < 0)
    throw new ConfigurationError("invalid configuration: maxPods (--max-pods) must not be a negative number");
  const podCIDR = nonEmpty(read.podCIDR);
  if (podCIDR !== undefined && !isCidr(podCIDR))
    throw new ConfigurationError(`podCIDR: ${podCIDR} is no address range`);
  return {
    address: nonEmpty(read.address) ?? "0.0.0.0",
    port,
    tlsCertFile: nonEmpty(read.tlsCertFile),
    tlsPrivateKeyFile: nonEmpty(read.tlsPrivateKeyFile),
    serverTLSBootstrap: read.serverTLSBootstrap ?? false,
    anonymous: authentication?.anonymous?.enabled ?? false,
    webhook: authentication?.webhook?.enabled ?? true,
    clientCAFile: nonEmpty(authentication?.x509?.clientCAFile),
    authorization: mode,
    clusterDomain: read.clusterDomain ?? "",
    clusterDNS: read.clusterDNS ?? [],
    maxPods,
    podCIDR,
    podPidsLimit,
    registerWithTaints: read.registerWithTaints ?? [],
    eviction: evictionSettings(read),
    logs: logSettings(read),
    allowedUnsafeSysctls: checkedSysctls(read.allowedUnsafeSysctls),
    maxRestartMs: maxRestartMs(read.crashLoopBackOff?.maxContainerRestartPeriod),
  };
}

function maxRestartMs(text: string | undefined): number {
  const ms = millis("crashLoopBackOff.maxContainerRestartPeriod", text, 300_000);
  if (ms >= 1000 && ms <= 300_000) return ms;
  throw new ConfigurationError(
    `invalid configuration: CrashLoopBackOff.MaxContainerRestartPeriod (got: ${ms / 1000} seconds) must be set between 1s and 300s`,
  );
}

function checkedSysctls(patterns: readonly string[] = []): readonly string[] {
  try {
    checkSysctlPatterns(patterns);
    return patterns;
  } catch (error) {
    throw new ConfigurationError(`allowedUnsafeSysctls: ${errorText(error)}`);
  }
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

/** Returns a configuration as `/configz` shows it. */
export function shownConfiguration(used: KubeletConfiguration): object {
  const { anonymous, webhook, clientCAFile, authorization, registerWithTaints, clusterDNS, ...others } = used;
  const { eviction, logs, maxRestartMs: restartMs, ...rest } = others;
  return {
    ...kind,
    enableServer: true,
    enableDebuggingHandlers: true,
    registerNode: true,
    ...rest,
    authentication: {
      x509: clientCAFile === undefined ? {} : { clientCAFile },
      webhook: { enabled: webhook },
      anonymous: { enabled: anonymous },
    },
    authorization: { mode: authorization },
    ...shownEviction(eviction),
    ...shownLogs(logs),
    crashLoopBackOff: { maxContainerRestartPeriod: `${restartMs / 1000}s` },
    ...(clusterDNS.length > 0 && { clusterDNS }),
    ...(registerWithTaints.length > 0 && { registerWithTaints }),
  };
}

/** Returns the configuration of a node of this process. */
export function configurationInUse(
  { context: { podPidsLimit, allocatable } }: Kubelet,
  {
    address,
    dnsAddress,
    clusterDomain,
  }: { address: string; dnsAddress: string | undefined; clusterDomain: string },
): object {
  const clusterDNS = dnsAddress === undefined ? [] : [dnsAddress];
  const maxPods = Number(allocatable["pods"] ?? defaultKubeletConfiguration.maxPods);
  const used = { ...defaultKubeletConfiguration, address, clusterDomain, clusterDNS, maxPods, podPidsLimit };
  return shownConfiguration(used);
}
