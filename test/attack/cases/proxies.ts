import { once } from "node:events";
import { createServer as createHttps } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { makeServingPair } from "../../../src/cluster/pki.ts";
import { systemClock } from "../../../src/util/clock.ts";
import type { HttpAnswer } from "../../http-call.ts";
import { type Attack, Breach } from "../attack.ts";
import type { Target } from "../target.ts";

const base = "/api/v1/namespaces/default";

/** Sends as the administrator. @throws Breach without an answer */
async function call(
  { send }: Target,
  method: string,
  path: string,
  body?: object,
  type = "application/json",
): Promise<HttpAnswer> {
  const headers = { "content-type": type };
  const answer = await send("admin", method, path, {
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  if (answer === undefined) throw new Breach(`${method} ${path}: no answer`);
  return answer;
}

async function prepare(target: Target, method: string, path: string, body: object): Promise<void> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const { code, text } = await call(target, method, path, body, type);
  if (code >= 400) throw new Breach(`Cannot prepare the attack: ${code} ${text}`);
}

async function makeNode(target: Target, name: string, address: object, port: number): Promise<void> {
  await prepare(target, "POST", "/api/v1/nodes", { metadata: { name } });
  const status = { addresses: [address], daemonEndpoints: { kubeletEndpoint: { Port: port } } };
  await prepare(target, "PATCH", `/api/v1/nodes/${name}/status`, { status });
}

async function makePod(target: Target, name: string, nodeName: string, ip?: string): Promise<void> {
  const spec = { nodeName, containers: [{ name: "main", image: "x" }] };
  await prepare(target, "POST", `${base}/pods`, { metadata: { name }, spec });
  if (ip === undefined) return;
  const status = { phase: "Running", podIP: ip, podIPs: [{ ip }] };
  await prepare(target, "PATCH", `${base}/pods/${name}/status`, { status });
}

async function mustBe(target: Target, path: string, code: number, message: string): Promise<void> {
  const answer = await call(target, "GET", path);
  if (answer.code !== code || !answer.text.includes(message))
    throw new Breach(`${path}: ${answer.code} ${answer.text.slice(0, 300)}`);
}

const internal = (address: string) => ({ type: "InternalIP", address });

/** Attacks through the connections that the API server makes to nodes, Pods and Services. */
export const proxies: readonly Attack[] = [
  {
    name: "a node with the API server's own address gets no answer with the API server's permissions",
    async run(target) {
      await makeNode(target, "mirror", internal("127.0.0.1"), target.port);
      await makeNode(target, "mirror-name", { type: "Hostname", address: "localhost" }, target.port);
      await makePod(target, "mirrored", "mirror");
      for (const node of ["mirror", "mirror-name"]) {
        await mustBe(target, `/api/v1/nodes/${node}/proxy/api/v1/secrets`, 400, "address not allowed");
        const own = `/api/v1/nodes/${node}:${target.port}/proxy/api/v1/secrets`;
        await mustBe(target, own, 400, "address not allowed");
      }
      // A kubelet may be on loopback: the request is made, and the certificate is refused.
      await mustBe(target, `${base}/pods/mirrored/log`, 401, "asked for the client to provide credentials");
    },
  },
  {
    name: "no path after proxy leads out of a node, Pod or Service",
    async run(target) {
      await makeNode(target, "walled", internal("127.0.0.1"), target.port);
      const exits = ["..", "%2e%2e", "..%2f..", "%2e%2e%2f", "a/../../..", "%5c..%5c", "//evil.example"];
      for (const exit of exits) {
        for (const owner of ["/api/v1/nodes/walled", `${base}/pods/none`, `${base}/services/none`]) {
          const answer = await call(target, "GET", `${owner}/proxy/${exit}/api/v1/secrets`);
          if (answer.code < 400) throw new Breach(`${owner} ${exit}: ${answer.code}`);
        }
      }
    },
  },
  {
    name: "a Pod's status cannot lead proxied requests to loopback, link-local addresses or groups",
    async run(target) {
      const addresses = [
        "127.0.0.1",
        "169.254.169.254",
        "224.0.0.1",
        "0.0.0.0",
        "::1",
        "fe80::1",
        "::ffff:127.0.0.1",
      ];
      for (const [index, ip] of addresses.entries()) {
        const name = `claims-${index}`;
        await prepare(target, "POST", `${base}/pods`, {
          metadata: { name },
          spec: { schedulerName: "none", containers: [{ name: "main", image: "x" }] },
        });
        const status = { phase: "Running", podIP: ip, podIPs: [{ ip }] };
        const type = "application/merge-patch+json";
        const { code } = await call(target, "PATCH", `${base}/pods/${name}/status`, { status }, type);
        // A status may refuse the address already: then the Pod has none.
        if (code >= 500) throw new Breach(`${ip}: ${code}`);
        await mustBe(target, `${base}/pods/${name}:${target.port}/proxy/healthz`, 400, "address not allowed");
      }
    },
  },
  {
    name: "Endpoints cannot lead proxied requests to an address that is no Pod's",
    async run(target) {
      const metadata = { name: "forged" };
      await prepare(target, "POST", `${base}/services`, { metadata, spec: { ports: [{ port: 80 }] } });
      const targetRef = { kind: "Pod", namespace: "kube-system", name: "none" };
      const addresses = [{ ip: "203.0.113.5" }, { ip: "203.0.113.6", targetRef }];
      const subsets = [{ addresses, ports: [{ port: target.port }] }];
      await prepare(target, "POST", `${base}/endpoints`, { metadata, subsets });
      await mustBe(target, `${base}/services/forged/proxy/`, 503, "no endpoints available for service");
    },
  },
  {
    name: "a kubelet that floods its answers exhausts no memory, and stalls nobody",
    async run(target) {
      const flood = await startFlood();
      try {
        await makeNode(target, "flood", internal("127.0.0.1"), flood.port);
        await makePod(target, "flooded", "flood", "10.99.0.1");
        for (let i = 0; i < 20; i++) {
          await call(target, "GET", "/apis/metrics.k8s.io/v1beta1/nodes");
          const { code, text } = await call(target, "GET", `${base}/pods/flooded/log`);
          if (code !== 404 || text.length > 500_000) throw new Breach(`log: ${code} ${text.length}`);
        }
        if (flood.sent() > 2 ** 30)
          throw new Breach(`${flood.sent()} bytes were read of a kubelet's answers`);
      } finally {
        flood.stop();
      }
    },
  },
];

/** Starts a kubelet whose answers never end. */
async function startFlood() {
  const { certificate: cert, key } = await makeServingPair("flood", ["127.0.0.1"], systemClock.now());
  const chunk = Buffer.alloc(1 << 20, "[");
  let sent = 0;
  const sockets = new Set<Duplex>();
  const server = createHttps({ cert, key }, (incoming, response) => {
    response.writeHead(incoming.url?.startsWith("/stats") === true ? 200 : 404);
    const write = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      sent += chunk.length;
    };
    response.on("drain", write);
    write();
  });
  server.on("connection", (socket: Duplex) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    sent: () => sent,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
