import { readFileSync } from "node:fs";
import { describeFlags, listOf, parseFlags, UsageError } from "../../cli/flags.ts";
import { tokenForSecret } from "../../apiserver/authn/service-account-tokens.ts";
import { TokenKeys } from "../../apiserver/authn/token-keys.ts";
import { Client } from "../../client/client.ts";
import { knownControllers } from "../../controllers/controllers.ts";
import type { SigningOptions } from "../../controllers/certificates/controller.ts";
import { readSelection, type Selection, SelectionError } from "../../controllers/selection.ts";
import { type SignToken, tokensController } from "../../controllers/service-account-token/controller.ts";
import { isCidr } from "../../meta/validation/ip.ts";
import { componentFlags, runComponent } from "../component.ts";
import { securePort } from "../component-endpoint/serve.ts";
import { ControllerCredentials } from "../controller-credentials.ts";
import { nodeNetworkFlags, nodeNetworkOf } from "../node-network-flags.ts";
import { runControllers } from "../controller-manager.ts";
import { signCertificate } from "../sign-certificate.ts";

const specs = {
  ...componentFlags,
  "secure-port": securePort(10257),
  controllers: {
    type: "string",
    value: "LIST",
    default: "*",
    help: "Which controllers run: * for all, -NAME for all but one, NAME for one.",
  },
  "use-service-account-credentials": {
    type: "bool",
    default: false,
    help: "Give each controller the ServiceAccount of its name, with no more rights than it needs.",
  },
  "root-ca-file": {
    type: "string",
    value: "FILE",
    help: "The certificate that Pods verify the API server with; without it, none is published.",
  },
  "service-account-private-key-file": {
    type: "string",
    value: "FILE",
    help: "The key that signs the tokens in Secrets; without it, such Secrets get none.",
  },
  ...nodeNetworkFlags,
  "service-cluster-ip-range": {
    type: "string",
    value: "LIST",
    default: "",
    help: "The ranges of Services' addresses, from which no node gets any.",
  },
  "cluster-signing-cert-file": {
    type: "string",
    value: "FILE",
    help: "The authority's certificate for CertificateSigningRequests; without it, none is signed.",
  },
  "cluster-signing-key-file": {
    type: "string",
    value: "FILE",
    help: "The authority's key.",
  },
} as const;

const help = `Run the controllers of a cluster: of Knarr's (start it with --controllers ''), or of any other Kubernetes.

Usage:
  knarr controller-manager [flags]

Examples:
  knarr controller-manager --kubeconfig .knarr/kubeconfig
  knarr controller-manager --kubeconfig FILE --controllers '*,-node-lifecycle-controller'

Flags:
${describeFlags(specs)}

Controllers:
${knownControllers.names.map((name) => `  ${name}`).join("\n")}

Accepted, though they never run:
${Array.from(knownControllers.inapplicable, ([name, why]) => `  ${name}: ${why}`).join("\n")}
`;

export async function controllerManager(line: readonly string[]): Promise<number> {
  const { flags, args } = parseFlags(specs, line);
  if (flags.help) {
    process.stdout.write(help);
    return 0;
  }
  if (args[0] !== undefined) throw new UsageError(`unknown argument: ${args[0]}`);
  const selection = selectionOf(flags.controllers);
  const rootCertificate = textOf(flags["root-ca-file"]);
  const key = textOf(flags["service-account-private-key-file"]);
  if (key !== undefined && rootCertificate === undefined)
    throw new UsageError("--service-account-private-key-file also requires --root-ca-file");
  const signing = signingOf(
    textOf(flags["cluster-signing-cert-file"]),
    textOf(flags["cluster-signing-key-file"]),
  );
  const ranges = nodeNetworkOf(flags);
  const serviceCIDRs = listOf(flags["service-cluster-ip-range"]);
  if (!serviceCIDRs.every(isCidr)) throw new UsageError("--service-cluster-ip-range must be address ranges");
  const nodeNetwork = ranges === undefined ? undefined : { ...ranges, serviceCIDRs };
  return runComponent(
    { ...flags, lease: "kube-controller-manager" },
    ({ env, connection, transport }, signal) => {
      const client = new Client(transport, { fieldManager: "kube-controller-manager" });
      const credentials = new ControllerCredentials(client, connection, env.clock);
      const transportFor = flags["use-service-account-credentials"]
        ? (name: string) => (name === tokensController ? transport : credentials.transportFor(name))
        : () => transport;
      const signToken = key === undefined ? undefined : signer(key);
      const options = { rootCertificate, signToken, signing, nodeNetwork, selection };
      return runControllers({ env, transport, transportFor, ...options }, signal).finally(() =>
        credentials.close(),
      );
    },
  );
}

/** @throws UsageError */
function selectionOf(list: string): Selection {
  try {
    return readSelection(listOf(list), knownControllers);
  } catch (error) {
    throw error instanceof SelectionError ? new UsageError(error.message) : error;
  }
}

function signer(privateKey: string): SignToken {
  const keys = new TokenKeys({ privateKey, publicKey: "" });
  return (...options) => tokenForSecret(keys, ...options);
}

/** @throws UsageError when only one of the two is given */
function signingOf(certificate: string | undefined, key: string | undefined): SigningOptions | undefined {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined)
    throw new UsageError("--cluster-signing-cert-file and --cluster-signing-key-file require each other");
  return { certificate, sign: (template) => signCertificate({ certificate, key }, template) };
}

function textOf(file: string | undefined): string | undefined {
  return file === undefined ? undefined : readFileSync(file, "utf8");
}
