import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Deployment, deployments } from "../../api/apps/deployment/schema.ts";
import { replicaSets } from "../../api/apps/replica-set/schema.ts";
import { configMaps } from "../../api/core/config-map/schema.ts";
import { pods } from "../../api/core/pod/schema.ts";
import { services } from "../../api/core/service/schema.ts";
import { describeFlags, parseFlags } from "../../cli/flags.ts";
import { Client } from "../../client/client.ts";
import type { InputOf } from "../../meta/kind.ts";
import { parseYamlDocument } from "../../meta/yaml.ts";
import { sleep, systemClock } from "../../util/clock.ts";
import { http } from "../../util/node-http.ts";
import { systemRandom } from "../../util/random.ts";
import { startLocalCluster } from "../local-cluster.ts";
import { packageRoot } from "../../util/package-root.ts";
import { textLogger } from "../text-logger.ts";
import { fieldsOf } from "../../util/is-object.ts";

const specs = {
  help: { type: "bool", short: "h", default: false, help: "Show this help." },
} as const;

const demoHelp = `Start a cluster, deploy the guestbook, and put it through its paces.

Usage:
  knarr demo

Flags:
${describeFlags(specs)}
`;

/** The guestbook's manifests, at the same path in a checkout and in the package. */
const manifests = fileURLToPath(new URL("examples/guestbook", packageRoot));

export async function demo(line: readonly string[]): Promise<number> {
  const { flags } = parseFlags(specs, line);
  if (flags.help) {
    process.stdout.write(demoHelp);
    return 0;
  }
  const say = (text: string) => void process.stdout.write(`${text}\n`);
  const start = systemClock.monotonic();
  const local = await startLocalCluster({
    env: { clock: systemClock, random: systemRandom, log: textLogger(systemClock, "error") },
    directory: mkdtempSync(join(tmpdir(), "knarr-demo-")),
    host: "127.0.0.1",
    port: 0,
    kubeconfig: undefined,
    nodes: 1,
    runtime: "auto",
    store: "sqlite",
  });
  const ready = Math.round(systemClock.monotonic() - start);
  say(
    `• A cluster at ${local.server}, runtime ${local.runtime.name} (${local.runtime.why})\n    ready in ${ready} ms`,
  );
  try {
    const admin = { name: "kubernetes-admin", groups: ["system:masters"] };
    await new Demo(new Client(local.cluster.transport(admin)), say).run(
      manifests,
      local.runtime.name === "native",
    );
  } finally {
    await local.stop({ cleanup: true });
  }
  say(
    `• Done in ${((systemClock.monotonic() - start) / 1000).toFixed(1)} s; nothing is left of it on this machine`,
  );
  return 0;
}

const namespace = "default";
const name = "guestbook";
const limitMs = 60_000;

/** Prints each step and its duration. Each step waits for its effect. */
class Demo {
  readonly #client: Client;
  readonly #say: (text: string) => void;

  constructor(client: Client, say: (text: string) => void) {
    this.#client = client;
    this.#say = say;
  }

  /** `folder` holds the manifests; `real` is true if containers run and can be called. */
  async run(folder: string, real: boolean): Promise<void> {
    await this.#step("Deploy the guestbook: 3 replicas, a Service, a ConfigMap", async () => {
      await this.#apply(folder);
      await this.#rolledOut(3);
      return this.#podList();
    });
    if (real) await this.#step("Call it through its Service", () => this.#call());
    await this.#step("Scale it to 5 replicas", async () => {
      await this.#deployments().patch(name, { spec: { replicas: 5 } }, { type: "merge" });
      await this.#rolledOut(5);
      return this.#podList();
    });
    await this.#step("Delete a Pod: another takes its place", () => this.#heal());
    await this.#step("Roll out version v2, one Pod after the other", async () => {
      await this.#setVersion("v2");
      await this.#rolledOut(5);
      return real ? this.#call() : "all replicas are of the new revision";
    });
    await this.#step("Roll back to v1", async () => {
      await this.#rollBack();
      await this.#rolledOut(5);
      return real ? this.#call() : "all replicas are of the old revision again";
    });
    await this.#step("Delete everything", () => this.#deleteAll());
  }

  async #step(title: string, work: () => Promise<string>): Promise<void> {
    const start = systemClock.monotonic();
    this.#say(`• ${title}`);
    const outcome = await work();
    const took = Math.round(systemClock.monotonic() - start);
    for (const line of outcome.split("\n")) this.#say(`    ${line}`);
    this.#say(`    ${took} ms`);
  }

  #deployments() {
    return this.#client.of(deployments, namespace);
  }

  #pods() {
    return this.#client.of(pods, namespace).list({ labelSelector: `app=${name}` });
  }

  async #apply(folder: string): Promise<void> {
    const kinds = { ConfigMap: configMaps, Deployment: deployments, Service: services } as const;
    for (const file of readdirSync(folder).sort()) {
      const object = parseYamlDocument(readFileSync(join(folder, file), "utf8")) as InputOf<
        typeof configMaps
      >;
      // Safe: the demo brings only files of these kinds.
      const kind = kinds[object.kind as keyof typeof kinds];
      await this.#client.of(kind, namespace).create(object);
    }
  }

  /** Polls until `ask` resolves to a value. @throws Error after a minute */
  async #until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
    const start = systemClock.monotonic();
    for (;;) {
      const answer = await ask();
      if (answer !== undefined) return answer;
      if (systemClock.monotonic() - start > limitMs)
        throw new Error(`Cannot continue: ${what} took more than a minute`);
      await sleep(systemClock, 20);
    }
  }

  #rolledOut(replicas: number): Promise<Deployment> {
    return this.#until("the rollout", async () => {
      const deployment = await this.#deployments().get(name);
      const { status, metadata } = deployment;
      const done =
        status.observedGeneration === metadata.generation &&
        status.updatedReplicas === replicas &&
        status.replicas === replicas &&
        status.availableReplicas === replicas;
      return done ? deployment : undefined;
    });
  }

  async #podList(): Promise<string> {
    const { items } = await this.#pods();
    return items
      .map(
        ({ metadata, status, spec }) =>
          `${metadata.name}  ${status.phase}  ${status.podIP}  ${spec.nodeName}`,
      )
      .join("\n");
  }

  async #call(): Promise<string> {
    const { spec } = await this.#client.of(services, namespace).get(name);
    const seen = new Set<string>();
    let answer = "";
    for (let i = 0; i < 20; i++) {
      answer = await this.#until("the Service's answer", () => httpGet(`http://${spec.clusterIP}/`));
      seen.add(String(fieldsOf(JSON.parse(answer))["pod"]));
    }
    return `http://${spec.clusterIP}/ → ${answer.trim()}\n20 calls were answered by ${seen.size} Pods`;
  }

  async #heal(): Promise<string> {
    const { items } = await this.#pods();
    const victim = items[0]?.metadata.name ?? "";
    await this.#client.of(pods, namespace).delete(victim, { gracePeriodSeconds: 1 });
    await this.#until("healing", async () => {
      const present = await this.#pods();
      const gone = !present.items.some(({ metadata }) => metadata.name === victim);
      return gone && present.items.length === items.length ? present : undefined;
    });
    await this.#rolledOut(5);
    return `${victim} is gone, 5 replicas are ready`;
  }

  async #setVersion(version: string): Promise<void> {
    const env = [{ name: "VERSION", value: version }];
    const patch = { spec: { template: { spec: { containers: [{ name, env }] } } } };
    await this.#deployments().patch(name, patch, { type: "strategic" });
  }

  /**
   * Rolls back as `kubectl rollout undo` does: the template of the previous revision becomes the
   * Deployment's.
   */
  async #rollBack(): Promise<void> {
    const { items } = await this.#client.of(replicaSets, namespace).list({ labelSelector: `app=${name}` });
    const revision = (one: (typeof items)[number]) =>
      Number(one.metadata.annotations?.["deployment.kubernetes.io/revision"] ?? 0);
    const [, previous] = items.toSorted((a, b) => revision(b) - revision(a));
    const template = previous?.spec.template;
    if (template === undefined) throw new Error("Cannot roll back: there is only one revision");
    const { "pod-template-hash": _, ...labels } = template.metadata.labels ?? {};
    const value = { ...template, metadata: { ...template.metadata, labels } };
    await this.#deployments().patch(name, [{ op: "replace", path: "/spec/template", value }], {
      type: "json",
    });
  }

  async #deleteAll(): Promise<string> {
    await this.#deployments().delete(name, { propagationPolicy: "Foreground" });
    await this.#client.of(services, namespace).delete(name);
    await this.#client.of(configMaps, namespace).delete(name);
    await this.#until("the end of all Pods", async () =>
      (await this.#pods()).items.length === 0 ? true : undefined,
    );
    return "no Pod is left";
  }
}

function httpGet(url: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const call = http.request(url, { agent: false, timeout: 2000 }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve(response.statusCode === 200 ? text : undefined));
    });
    call.on("timeout", () => call.destroy());
    call.on("error", () => resolve(undefined));
    call.end();
  });
}
