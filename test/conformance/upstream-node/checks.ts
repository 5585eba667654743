import { type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { image } from "./image.ts";

export const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", labels: { app: "web" } },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: "main",
        image,
        imagePullPolicy: "Never",
        stdin: true,
        command: [
          "sh",
          "-c",
          "echo started; httpd -p 80 -h /www; while read l; do echo got $l; done; sleep 9999",
        ],
      },
    ],
  },
};

interface CallOptions {
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** Calls kubectl on a cluster, and compares what it prints. */
export class Checks {
  readonly #kubeconfig: string;
  failed = 0;

  constructor(kubeconfig: string) {
    this.#kubeconfig = kubeconfig;
  }

  call(words: readonly string[], { input = "", env = {} }: CallOptions = {}): SpawnSyncReturns<string> {
    return spawnSync("kubectl", words, {
      encoding: "utf8",
      input,
      timeout: 60_000,
      env: { ...process.env, KUBECONFIG: this.#kubeconfig, ...env },
    });
  }

  expect(name: string, is: boolean, seen: string): void {
    process.stdout.write(`${is ? "ok  " : "FAIL"} ${name}\n${is ? "" : `${seen}\n`}`);
    if (!is) this.failed++;
  }

  /** Expects an output that contains the text, and an exit code. */
  prints(name: string, wanted: string, words: readonly string[], options: CallOptions = {}, code = 0): void {
    const { status, stdout, stderr } = this.call(words, options);
    this.expect(name, status === code && stdout.includes(wanted), `${status}\n${stdout}${stderr}`);
  }

  /** The streams of the Pod: each kubectl protocol, the end of input, exit codes, closed ports. */
  async streams(): Promise<void> {
    const exec = (...command: readonly string[]) => ["exec", "-i", "web", "--", ...command];
    this.prints("logs", "started", ["logs", "web"]);
    for (const webSocket of ["true", "false"]) {
      const options = { env: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: webSocket } };
      const by = webSocket === "true" ? "WebSocket" : "SPDY";
      this.prints(`exec by ${by}`, "in", exec("cat"), { ...options, input: "in\n" });
      const input = Buffer.alloc(10_000_000);
      this.prints(`exec by ${by} with 10 MB of input`, "10000000", exec("wc", "-c"), { ...options, input });
      const codes = Array.from(
        { length: 20 },
        () => this.call(["exec", "web", "--", "sh", "-c", "exit 5"], options).status,
      );
      this.expect(
        `20 exit codes by ${by}`,
        codes.every((code) => code === 5),
        codes.join(" "),
      );
    }
    await this.#attach();
    await this.#portForward();
  }

  async #attach(): Promise<void> {
    const child = this.#start(["attach", "-i", "web"]);
    const seen = await until(
      child.output,
      (text) => text.includes("got one"),
      () => child.stdin.write("one\n"),
    );
    child.stop();
    this.expect("attach", seen.includes("got one"), seen);
  }

  async #portForward(): Promise<void> {
    const child = this.#start(["port-forward", "pod/web", ":80"]);
    const seen = await until(child.output, (text) => text.includes("Forwarding from 127.0.0.1"));
    const port = /127\.0\.0\.1:(\d+)/.exec(seen)?.[1] ?? "0";
    const answer = spawnSync("curl", ["-s", "--max-time", "5", `http://127.0.0.1:${port}/index.html`], {
      encoding: "utf8",
    });
    child.stop();
    this.expect("port-forward", answer.stdout === "hello from the Pod\n", seen + answer.stdout);
  }

  #start(words: readonly string[]) {
    const env = { ...process.env, KUBECONFIG: this.#kubeconfig };
    const child = spawn("kubectl", words, { stdio: ["pipe", "pipe", "pipe"], env });
    let seen = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (seen += String(chunk)));
    child.stdin.on("error", () => {});
    return { stdin: child.stdin, output: () => seen, stop: () => void child.kill("SIGKILL") };
  }
}

async function until(
  output: () => string,
  holds: (text: string) => boolean,
  again = () => {},
): Promise<string> {
  for (let i = 0; i < 40 && !holds(output()); i++) {
    again();
    await setTimeout(250);
  }
  return output();
}
