import { type Attack, Breach } from "../attack.ts";
import type { Target } from "../target.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const apiGroup = "rbac.authorization.k8s.io";
const nodes = "/api/v1/nodes";
const pods = "/api/v1/namespaces/default/pods";

type Send = (method: string, path: string, body?: object) => Promise<number>;

/** Sends as another user, by impersonation; resolves with the code. */
function sendAs({ send }: Target, user: string, group?: string): Send {
  const identity = {
    ...(user === "" ? {} : { "impersonate-user": user }),
    ...(group === undefined ? {} : { "impersonate-group": group }),
  };
  return async (method, path, body) => {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const headers = { ...identity, "content-type": type };
    const answer = await send("admin", method, path, {
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return answer?.code ?? 0;
  };
}

/** @throws Breach for a request that was not refused. */
async function mustFail(what: string, code: Promise<number>): Promise<void> {
  const answered = await code;
  if (answered < 400) throw new Breach(`${what}: ${answered}`);
}

/** Makes a request that the attack depends on. @throws Breach when the request fails */
async function mustWork(code: Promise<number>): Promise<void> {
  const answered = await code;
  if (answered >= 400) throw new Breach(`Cannot prepare the attack: ${answered}`);
}

const rule = (verbs: string, group: string, resources: string) => ({
  verbs: verbs.split(" "),
  apiGroups: [group],
  resources: resources.split(" "),
});

/** Attacks that try to gain permissions that were not granted. */
export const permissions: readonly Attack[] = [
  {
    name: "a writer of roles and bindings cannot gather the rules of cluster-admin",
    async run(target) {
      const admin = sendAs(target, "");
      const mallory = sendAs(target, "gatherer");
      const subjects = [{ apiGroup, kind: "User", name: "gatherer" }];
      const bind = (name: string) => ({
        metadata: { name: `${name}-gatherer` },
        roleRef: { apiGroup, kind: "ClusterRole", name },
        subjects,
      });
      const writes = rule("get create update patch", apiGroup, "clusterroles clusterrolebindings");
      await mustWork(
        admin("POST", `${rbac}/clusterroles`, { metadata: { name: "writer" }, rules: [writes] }),
      );
      await mustWork(admin("POST", `${rbac}/clusterrolebindings`, bind("writer")));
      const gather = { clusterRoleSelectors: [{ matchLabels: { gather: "me" } }] };
      const empty = { metadata: { name: "empty" }, rules: [], aggregationRule: gather };
      await mustFail("an aggregated role was made", mallory("POST", `${rbac}/clusterroles`, empty));
      await mustWork(admin("POST", `${rbac}/clusterroles`, empty));
      await mustWork(mallory("POST", `${rbac}/clusterrolebindings`, bind("empty")));
      const label = { metadata: { labels: { gather: "me" } } };
      const admins = `${rbac}/clusterroles/cluster-admin`;
      await mustFail("cluster-admin was labelled", mallory("PATCH", admins, label));
      await mustFail("Secrets are read", mallory("GET", "/api/v1/secrets"));
    },
  },
  {
    name: "a node cannot attract, read or spoil what belongs to others",
    async run(target) {
      const admin = sendAs(target, "");
      const node = sendAs(target, "system:node:thief", "system:nodes");
      await mustWork(node("POST", nodes, { metadata: { name: "thief" } }));
      await mustWork(admin("POST", nodes, { metadata: { name: "victim" } }));
      for (const key of ["node-restriction.kubernetes.io/a", "node-role.kubernetes.io/control-plane"]) {
        const patch = { metadata: { labels: { [key]: "" } } };
        await mustFail(`label ${key}`, node("PATCH", `${nodes}/thief`, patch));
        await mustFail(`label ${key} by status`, node("PATCH", `${nodes}/thief/status`, patch));
      }
      await mustFail(
        "taints",
        node("PATCH", `${nodes}/thief`, { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } }),
      );
      await mustFail("another Node", node("PATCH", `${nodes}/victim/status`, { status: {} }));
      const mirror = {
        metadata: { name: "mirror", annotations: { "kubernetes.io/config.mirror": "a" } },
        spec: {
          nodeName: "thief",
          containers: [{ name: "c", image: "example.com/c" }],
          volumes: [{ name: "v", secret: { secretName: "any" } }],
        },
      };
      await mustFail("a mirror Pod with a Secret", node("POST", pods, mirror));
      const token = { spec: { audiences: ["https://kubernetes.default.svc.cluster.local"] } };
      const accounts = "/api/v1/namespaces/kube-system/serviceaccounts";
      await mustFail("a token", node("POST", `${accounts}/default/token`, token));
      const csiNode = { metadata: { name: "victim" }, spec: { drivers: [] } };
      await mustFail("a CSINode", node("POST", "/apis/storage.k8s.io/v1/csinodes", csiNode));
      for (const path of [
        "/api/v1/secrets",
        "/apis/resource.k8s.io/v1/resourceslices",
        "/apis/storage.k8s.io/v1/volumeattachments",
      ])
        await mustFail(path, node("GET", path));
    },
  },
  {
    name: "no credentials, however odd, open the server or break it",
    async run({ send }) {
      const unsigned = Buffer.from('{"alg":"none"}').toString("base64url");
      const claims = Buffer.from('{"iss":"kubernetes/serviceaccount","sub":"system:masters"}').toString(
        "base64url",
      );
      const tokens = ["", "a", "a.b.c", `${unsigned}.${claims}.`, "e30.e30.e30", "%zz", "x".repeat(8_000)];
      for (const token of tokens) {
        const headers = { authorization: `Bearer ${token}` };
        const answer = await send("anonymous", "GET", "/api/v1/secrets", { headers });
        if (answer !== undefined && answer.code < 400) throw new Breach(`a token opens the server: ${token}`);
      }
      for (const key of ["%zz", "%", "%e0%a4%a", "__proto__", "constructor"]) {
        const headers = { "impersonate-user": "boss", [`impersonate-extra-${key}`]: "a" };
        await send("anybody", "GET", "/api/v1/secrets", { headers });
        await send("anonymous", "GET", "/api/v1/secrets", { headers });
      }
    },
  },
];
