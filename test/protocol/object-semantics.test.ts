import { beforeAll, describe, expect, test } from "vitest";
import { deploymentBody, type Json, podBody } from "../../src/apiserver/server.suite.ts";
import { deployments as deploymentKind } from "../../src/api/apps/deployment/schema.ts";
import { encodeEnvelope } from "../../src/meta/protobuf/envelope.ts";
import { DeleteOptions } from "../../src/meta/v1-options.ts";
import { seededRandom } from "../../src/util/random.ts";
import { useHttpsServer } from "../apiserver/https-server.suite.ts";
import {
  applyPatch,
  as,
  configMaps,
  type Exchange,
  inDefault,
  json,
  jsonPatch,
  merge,
  protobuf,
  testExchanges,
} from "./wire.suite.ts";

/** A random source that can be made to draw zeros, so that generated names end in the letter for zero. */
const drawn = seededRandom(1);
let drawsNothing = false;
const random = {
  next: () => (drawsNothing ? 0 : drawn.next()),
  bytes: (count: number) => drawn.bytes(count),
};
const server = useHttpsServer({ random });

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles";
const named = (name: string, metadata: object = {}) => json({ metadata: { name, ...metadata } });
const apply = (body: object) => as(applyPatch, body);
const configMap = (metadata: object, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata,
  ...more,
});

beforeAll(async () => {
  const { bed } = server();
  await bed.make(configMaps, { metadata: { name: "one" }, data: { k: "v" } });
  await bed.make(deployments, deploymentBody("web"));
});

describe("a create", () => {
  testExchanges(server, [
    ...["0", "x", ""].map((resourceVersion, index): Exchange => [
      `with the resourceVersion "${resourceVersion}" is one without`,
      "POST",
      configMaps,
      named(`rv-${index}`, { resourceVersion }),
      { code: 201 },
    ]),
    [
      "of a namespaced kind needs a namespace in the path: 405",
      "POST",
      "/api/v1/configmaps",
      named("nowhere", { namespace: "default" }),
      { code: 405, json: { reason: "MethodNotAllowed" } },
    ],
    [
      "at a watch path is refused: 405",
      "POST",
      "/api/v1/watch/namespaces/default/configmaps",
      named("watched"),
      { code: 405 },
    ],
    [
      "with a finalizer that is neither Kubernetes' own nor has a domain is refused",
      "POST",
      configMaps,
      named("f", { finalizers: ["mine"] }),
      {
        code: 422,
        json: { details: { causes: [{ reason: "FieldValueInvalid", field: "metadata.finalizers[0]" }] } },
        message:
          'ConfigMap "f" is invalid: metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
      },
    ],
    [
      "with finalizers that contradict each other is refused",
      "POST",
      configMaps,
      named("f", { finalizers: ["orphan", "foregroundDeletion"] }),
      { code: 422, message: /finalizer orphan and foregroundDeletion cannot be both set/ },
    ],
    [
      "with two owners that control it is refused",
      "POST",
      configMaps,
      named("o", {
        ownerReferences: ["a", "b"].map((uid) => ({
          apiVersion: "v1",
          kind: "Pod",
          name: uid,
          uid,
          controller: true,
        })),
      }),
      { code: 422, message: /Only one reference can have Controller set to true/ },
    ],
  ]);

  test("with generateName tries eight names, and then names the time of the next try", async () => {
    const { send } = server();
    const create = () => send("POST", configMaps, json({ metadata: { generateName: "g-" } }));
    drawsNothing = true;
    try {
      const first = await create();
      expect([first.code, first.json.metadata.name]).toEqual([201, "g-bbbbb"]);
      const second = await create();
      expect(second.headers["retry-after"]).toBe("1");
      expect(second.json).toMatchObject({
        code: 409,
        reason: "AlreadyExists",
        message:
          'configmaps "g-bbbbb" already exists, the server was not able to generate a unique name for the object',
        details: { name: "g-bbbbb", kind: "configmaps", retryAfterSeconds: 1 },
      });
    } finally {
      drawsNothing = false;
    }
    expect((await create()).code).toBe(201);
  });
});

describe("an update that creates", () => {
  test.each<readonly [path: string, more: object]>([
    [leases, {}],
    [roles, {}],
    ["/apis/rbac.authorization.k8s.io/v1/clusterroles", {}],
    [inDefault("endpoints"), {}],
    [inDefault("services"), { spec: { ports: [{ port: 80 }] } }],
    [inDefault("limitranges"), { spec: { limits: [] } }],
  ])("is possible for %s", async (path, more) => {
    const body = json({ metadata: { name: "by-put" }, ...more });
    const answer = await server().send("PUT", `${path}/by-put`, body);
    expect([answer.code, answer.json.metadata?.name]).toEqual([201, "by-put"]);
  });

  testExchanges(server, [
    [
      "ignores a resourceVersion",
      "PUT",
      `${leases}/versioned`,
      named("versioned", { resourceVersion: "1" }),
      { code: 201 },
    ],
    [
      "is a conflict when its uid belongs to another object",
      "PUT",
      `${leases}/other`,
      named("other", { uid: "u" }),
      { code: 409, json: { reason: "Conflict" }, message: /Precondition failed: UID in precondition: u/ },
    ],
    ...["configmaps", "secrets", "serviceaccounts", "resourcequotas"].map((plural): Exchange => [
      `is not possible for ${plural}`,
      "PUT",
      `${inDefault(plural)}/by-put`,
      named("by-put"),
      { code: 404, message: `${plural} "by-put" not found` },
    ]),
  ]);
});

describe("a user who may update and not create", () => {
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
  const asJane = { "impersonate-user": "jane" };
  beforeAll(async () => {
    const { bed } = server();
    const rule = { apiGroups: ["", "coordination.k8s.io"], resources: ["configmaps", "leases"] };
    await bed.make(`${rbac}/roles`, {
      metadata: { name: "updater" },
      rules: [{ ...rule, verbs: ["get", "update", "patch"] }],
    });
    await bed.make(`${rbac}/rolebindings`, {
      metadata: { name: "updater" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "updater" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }],
    });
    await bed.clock.settle();
  });
  const cannot = (resource: string, group: string) =>
    `User "jane" cannot create resource "${resource}" in API group "${group}" in the namespace "default"`;

  testExchanges(server, [
    [
      "creates nothing by PUT",
      "PUT",
      `${leases}/of-jane`,
      json({ metadata: { name: "of-jane" } }, asJane),
      {
        code: 403,
        message: `leases.coordination.k8s.io "of-jane" is forbidden: ${cannot("leases", "coordination.k8s.io")}`,
      },
    ],
    [
      "creates nothing by apply",
      "PATCH",
      `${configMaps}/of-jane?fieldManager=me`,
      as(applyPatch, configMap({ name: "of-jane" }), asJane),
      { code: 403, message: `configmaps "of-jane" is forbidden: ${cannot("configmaps", "")}` },
    ],
    [
      "applies to an existing object",
      "PATCH",
      `${configMaps}/one?fieldManager=jane&dryRun=All`,
      as(applyPatch, configMap({ name: "one" }), asJane),
      { code: 200 },
    ],
  ]);
});

describe("a writer without a fieldManager", () => {
  test.each([
    ["kubectl/v1.36.0 (linux/amd64) kubernetes/0", "kubectl"],
    ["my program/1", "my program"],
    ["with\ttab/1", "withtab"],
    ["x".repeat(200), "x".repeat(128)],
    ["", "unknown"],
  ])("with the user agent %j is recorded as %s", async (agent, manager) => {
    const body = json({ metadata: { name: "agent" }, data: { a: "b" } }, { "user-agent": agent });
    const answer = await server().send("POST", `${configMaps}?dryRun=All`, body);
    expect(answer.json.metadata.managedFields).toMatchObject([{ manager, operation: "Update" }]);
  });
});

describe("an update", () => {
  testExchanges(server, [
    ...Object.entries({ deletionTimestamp: "2030-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 }).map(
      ([field, value]): Exchange => [
        `cannot set ${field}`,
        "PATCH",
        `${configMaps}/one`,
        merge({ metadata: { [field]: value } }),
        {
          code: 422,
          message: `ConfigMap "one" is invalid: metadata.${field}: Invalid value: ${JSON.stringify(value)}: field is immutable`,
        },
      ],
    ),
    ...[
      ["kind", "Secret"],
      ["apiVersion", "v2"],
    ].map(([field, value]): Exchange => [
      `cannot make another ${field} of an object`,
      "PATCH",
      `${configMaps}/one`,
      as(jsonPatch, [{ op: "replace", path: `/${field}`, value }]),
      { code: 422, json: { reason: "Invalid" }, message: /is invalid: patch: Invalid value: .*no kind "/ },
    ]),
    [
      "by JSON patch may replace a missing field",
      "PATCH",
      `${configMaps}/one`,
      as(jsonPatch, [{ op: "replace", path: "/metadata/annotations", value: { a: "b" } }]),
      { code: 200, json: { metadata: { annotations: { a: "b" } } } },
    ],
    [
      "by JSON patch with an unknown operation is refused: 422",
      "PATCH",
      `${configMaps}/one`,
      as(jsonPatch, [{ op: "jump", path: "/data" }]),
      { code: 422, message: "the server rejected our request due to an error in our request" },
    ],
    [
      "by merge patch must be an object",
      "PATCH",
      `${configMaps}/one`,
      merge([]),
      {
        code: 400,
        message:
          "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
      },
    ],
  ]);
});

describe("metadata.generation", () => {
  const apis = (rest: string) => `/apis/${rest}`;
  const spec = { podSelector: {} };
  /** Generations after a create, a change of labels, the given change, and a delete that waits for a finalizer. */
  test.each<readonly [path: string, body: object, change: object, expected: readonly (number | undefined)[]]>(
    [
      [inDefault("configmaps"), {}, { data: { k: "v" } }, [undefined, undefined, undefined, undefined]],
      [inDefault("pods"), podBody("g"), { spec: { activeDeadlineSeconds: 9 } }, [1, 1, 2, 3]],
      [deployments, deploymentBody("g"), { spec: { replicas: 3 } }, [1, 1, 2, 3]],
      [deployments, deploymentBody("g"), { metadata: { annotations: { a: "b" } } }, [1, 1, 2, 3]],
      [deployments, deploymentBody("g"), { status: { replicas: 3 } }, [1, 1, 1, 2]],
      [
        apis("networking.k8s.io/v1/namespaces/default/networkpolicies"),
        { spec },
        { spec: { podSelector: { matchLabels: { a: "b" } } } },
        [1, 1, 2, 3],
      ],
      [
        apis("discovery.k8s.io/v1/namespaces/default/endpointslices"),
        { addressType: "IPv4", endpoints: [] },
        { endpoints: [{ addresses: ["192.0.2.1"] }] },
        [1, 2, 3, 4],
      ],
      [apis("scheduling.k8s.io/v1/priorityclasses"), { value: 1 }, { description: "d" }, [1, 1, 1, 2]],
      [leases, {}, { spec: { holderIdentity: "h" } }, [undefined, undefined, undefined, undefined]],
    ],
  )("of %s after %j and a change by %j", async (path, body, change, expected) => {
    const { bed, send } = server();
    const found: (number | undefined)[] = [];
    const note = ({ metadata }: Json) => found.push(metadata.generation);
    note(await bed.make(path, { ...body, metadata: { name: "g", finalizers: ["example.com/f"] } }));
    for (const patch of [{ metadata: { labels: { l: "m" } } }, change])
      note((await send("PATCH", `${path}/g`, merge(patch))).json);
    note((await send("DELETE", `${path}/g?propagationPolicy=Background`)).json);
    expect(found).toEqual(expected);
    await send("PATCH", `${path}/g`, merge({ metadata: { finalizers: null } }));
    expect((await send("GET", `${path}/g`)).code).toBe(404);
  });
});

describe("zero values in protobuf", () => {
  test("are kept where presence counts", async () => {
    const body = encodeEnvelope(deploymentBody("none", 0), { ...deploymentKind });
    const { code, json: made } = await server().send("POST", deployments, as(protobuf, body));
    expect([code, made.spec.replicas]).toEqual([201, 0]);
    expect(made.metadata).not.toHaveProperty("generateName");
  });
});

describe("the scale of an object", () => {
  const scale = `${deployments}/web/scale`;
  testExchanges(server, [
    [
      "is written without a Content-Type",
      "PUT",
      scale,
      { body: '{"metadata":{"name":"web"},"spec":{"replicas":2}}' },
      { code: 200, json: { kind: "Scale", apiVersion: "autoscaling/v1", spec: { replicas: 2 } } },
    ],
    [
      "must be in the namespace of the path",
      "PUT",
      scale,
      json({ metadata: { name: "web", namespace: "other" }, spec: { replicas: 1 } }),
      { code: 400, message: /^the namespace of the provided object does not match/ },
    ],
    [
      "is patched by merge patch, which changes the generation",
      "PATCH",
      scale,
      merge({ spec: { replicas: 3 } }),
      { code: 200, json: { spec: { replicas: 3 }, status: { selector: "app=web" } } },
    ],
    [
      "shows in the object's replicas and generation",
      "GET",
      `${deployments}/web`,
      {},
      { code: 200, json: { spec: { replicas: 3 }, metadata: { generation: 3 } } },
    ],
    [
      "cannot be applied over another manager's number: a conflict",
      "PATCH",
      `${scale}?fieldManager=me`,
      apply({
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "web" },
        spec: { replicas: 4 },
      }),
      {
        code: 409,
        json: { details: { causes: [{ reason: "FieldManagerConflict", field: ".spec.replicas" }] } },
        message: /^Apply failed with 1 conflict: conflict with ".+" with subresource "scale" using /,
      },
    ],
    [
      "is applied with force",
      "PATCH",
      `${scale}?fieldManager=me&force=true`,
      apply({
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "web" },
        spec: { replicas: 4 },
      }),
      { code: 200, json: { kind: "Scale", spec: { replicas: 4 } } },
    ],
    [
      "is owned by the manager that applied it",
      "GET",
      `${deployments}/web`,
      {},
      {
        code: 200,
        json: {
          spec: { replicas: 4 },
          metadata: {
            managedFields: expect.arrayContaining([
              expect.objectContaining({
                manager: "me",
                operation: "Apply",
                subresource: "scale",
                fieldsV1: { "f:spec": { "f:replicas": {} } },
              }),
            ]),
          },
        },
      },
    ],
    [
      "is applied only as a Scale",
      "PATCH",
      `${scale}?fieldManager=me`,
      apply({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } }),
      { code: 400, message: "invalid object type: apps/v1, Kind=Deployment" },
    ],
    ["cannot be deleted: 405", "DELETE", scale, {}, { code: 405 }],
    ["cannot be created: 405", "POST", scale, json({}), { code: 405 }],
  ]);
});

describe("a Binding", () => {
  const pod = `${inDefault("pods")}/bound`;
  const binding = (name: string, target: object) => json({ metadata: { name }, target });
  beforeAll(() => server().bed.make(inDefault("pods"), podBody("bound")));

  testExchanges(server, [
    [
      "has a Node as its target and nothing else",
      "POST",
      `${pod}/binding`,
      binding("bound", { kind: "House", name: "n1" }),
      { code: 500, message: 'target.kind: Unsupported value: "House": supported values: "Node", "<empty>"' },
    ],
    [
      "names the Node",
      "POST",
      `${pod}/binding`,
      binding("bound", { kind: "Node" }),
      { code: 500, message: "target.name: Required value" },
    ],
    [
      "must name the Pod of its path",
      "POST",
      `${pod}/binding`,
      binding("other", { kind: "Node", name: "n1" }),
      { code: 400, message: "name in URL does not match name in Binding object" },
    ],
    [
      "may be sent to the collection of Bindings as well",
      "POST",
      inDefault("bindings"),
      binding("bound", { kind: "Node", name: "n1" }),
      { code: 201, json: { kind: "Status", status: "Success" } },
    ],
    ["sets the Pod's node", "GET", pod, {}, { code: 200, json: { spec: { nodeName: "n1" } } }],
    [
      "is possible once for each Pod",
      "POST",
      inDefault("bindings"),
      binding("bound", { kind: "Node", name: "n2" }),
      { code: 409, message: /pod bound is already assigned to node "n1"$/ },
    ],
    ["is not stored: 405", "GET", inDefault("bindings"), {}, { code: 405 }],
  ]);
});

describe("the finalizers of a Namespace", () => {
  testExchanges(server, [
    [
      "are written only through the namespace in the path",
      "PUT",
      "/api/v1/namespaces/default/finalize",
      json({ metadata: { name: "other" }, spec: { finalizers: [] } }),
      { code: 400, message: "the name of the object (other) does not match the name on the URL (default)" },
    ],
  ]);
});

describe("server-side apply", () => {
  const path = `${configMaps}/one?fieldManager=me`;
  const invalidOptions = 'PatchOptions.meta.k8s.io "" is invalid: ';
  testExchanges(server, [
    ...(["true", "false", ""] as const).map((force): Exchange => [
      `alone may be forced: force=${force} of a merge patch is refused`,
      "PATCH",
      `${configMaps}/one?force=${force}`,
      merge({}),
      { code: 422, message: `${invalidOptions}force: Forbidden: may not be specified for non-apply patch` },
    ]),
    [
      "has a manager of at most 128 bytes",
      "PATCH",
      `${configMaps}/one?fieldManager=${"é".repeat(65)}`,
      apply(configMap({ name: "one" })),
      {
        code: 422,
        json: { details: { causes: [{ reason: "FieldValueTooLong", field: "fieldManager" }] } },
        message: `${invalidOptions}fieldManager: Too long: may not be more than 128 bytes`,
      },
    ],
    [
      "has a manager of printable characters",
      "PATCH",
      `${configMaps}/one?fieldManager=a%09b`,
      apply(configMap({ name: "one" })),
      {
        code: 422,
        message: String.raw`${invalidOptions}fieldManager: Invalid value: "a\tb": invalid character U+0009 (at position 1)`,
      },
    ],
    ...(
      [
        [{ kind: "ConfigMap" }, "/, Kind=ConfigMap"],
        [{ apiVersion: "v1" }, "/v1, Kind="],
        [{ apiVersion: "v2", kind: "ConfigMap" }, "/v2, Kind=ConfigMap"],
        [{ apiVersion: "apps/v1", kind: "Deployment" }, "apps/v1, Kind=Deployment"],
      ] as const
    ).map(([type, shown]): Exchange => [
      `of ${shown} does not fit the path`,
      "PATCH",
      path,
      apply({ ...type, metadata: { name: "one" } }),
      { code: 400, message: `invalid object type: ${shown}` },
    ]),
    [
      "may not contain managedFields",
      "PATCH",
      path,
      apply(configMap({ name: "one", managedFields: [{ manager: "x" }] })),
      { code: 400, message: "metadata.managedFields must be nil" },
    ],
    [
      "of another manager's field is a conflict, which names both",
      "PATCH",
      path,
      apply(configMap({ name: "one" }, { data: { k: "w" } })),
      {
        code: 409,
        json: {
          reason: "Conflict",
          details: { causes: [{ reason: "FieldManagerConflict", field: ".data.k" }] },
        },
        message: /^Apply failed with 1 conflict: conflict with ".+" using v1: \.data\.k$/,
      },
    ],
    [
      "takes over the field with force",
      "PATCH",
      `${path}&force=true`,
      apply(configMap({ name: "one" }, { data: { k: "w" } })),
      { code: 200, json: { data: { k: "w" } } },
    ],
    [
      "creates a missing object: 201",
      "PATCH",
      `${configMaps}/applied?fieldManager=me`,
      apply(configMap({ name: "applied", resourceVersion: "5" }, { data: { k: "v" } })),
      { code: 201, json: { metadata: { managedFields: [{ manager: "me", operation: "Apply" }] } } },
    ],
    [
      "with a uid does not create a missing object",
      "PATCH",
      `${configMaps}/missing?fieldManager=me`,
      apply(configMap({ name: "missing", uid: "u" })),
      {
        code: 409,
        message:
          'Operation cannot be fulfilled on configmaps "missing": uid mismatch: the provided object specified uid u, and no existing object was found',
      },
    ],
  ]);
});

describe("a dry run", () => {
  testExchanges(server, [
    [
      "with an empty value is refused: dryRun=",
      "POST",
      `${configMaps}?dryRun=`,
      named("dry"),
      {
        code: 422,
        message:
          'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: [""]: supported values: "All"',
      },
    ],
    [
      "requested twice is one dry run",
      "DELETE",
      `${configMaps}/one?dryRun=All&dryRun=All`,
      {},
      {
        code: 200,
        json: { status: "Success", details: { name: "one", kind: "configmaps", uid: expect.any(String) } },
      },
    ],
    ["writes nothing", "GET", `${configMaps}/one`, {}, { code: 200 }],
  ]);
});

describe("DeleteOptions", () => {
  const dryRun = { dryRun: ["All"] };
  const sealed = encodeEnvelope(dryRun, { apiVersion: "v1", kind: "DeleteOptions", schema: DeleteOptions });
  testExchanges(server, [
    ...["v1", "apps/v1", "meta.k8s.io/v1", "example.com/v9"].map((apiVersion): Exchange => [
      `may be of ${apiVersion}`,
      "DELETE",
      `${configMaps}/one`,
      json({ apiVersion, kind: "DeleteOptions", ...dryRun }),
      { code: 200 },
    ]),
    ["may omit their kind", "DELETE", `${configMaps}/one`, json(dryRun), { code: 200 }],
    ["may come in protobuf", "DELETE", `${configMaps}/one`, as(protobuf, sealed), { code: 200 }],
    [
      "may not be of another kind",
      "DELETE",
      `${configMaps}/one`,
      json({ apiVersion: "v1", kind: "ConfigMap", ...dryRun }),
      { code: 400, message: /^no kind "ConfigMap" is registered for version "v1"/ },
    ],
    [
      "have one of three propagation policies",
      "DELETE",
      `${configMaps}/one`,
      json({ propagationPolicy: "Maybe" }),
      {
        code: 422,
        message:
          'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Maybe": supported values: "Foreground", "Background", "Orphan", "nil"',
      },
    ],
  ]);
});

describe("a delete", () => {
  testExchanges(server, [
    [
      "of everything in all namespaces is refused: 405",
      "DELETE",
      "/api/v1/configmaps",
      {},
      { code: 405, json: { reason: "MethodNotAllowed" } },
    ],
    [
      "with an answer in no accepted form deletes nothing: 406",
      "DELETE",
      `${configMaps}/one`,
      { headers: { accept: "text/html" } },
      { code: 406 },
    ],
    [
      "of a collection with an answer in no accepted form deletes nothing: 406",
      "DELETE",
      configMaps,
      { headers: { accept: "text/html" } },
      { code: 406 },
    ],
    ["that was refused has left the object", "GET", `${configMaps}/one`, {}, { code: 200 }],
  ]);

  test("of a collection deletes one page when it has a limit", async () => {
    const { bed, send } = server();
    for (const name of ["p-1", "p-2", "p-3"])
      await bed.make(leases, { metadata: { name, labels: { paged: "yes" } } });
    const url = `${leases}?labelSelector=paged`;
    const { code, json: gone } = await send("DELETE", `${url}&limit=2`);
    expect([code, gone.kind, gone.items.length]).toEqual([200, "LeaseList", 2]);
    expect(gone.metadata.continue).toEqual(expect.any(String));
    expect((await send("GET", url)).json.items).toMatchObject([{ metadata: { name: "p-3" } }]);
  });

  test("returns the object for kinds that declare it, else a Status with the uid", async () => {
    const { bed, send } = server();
    const returned: readonly (readonly [string, object, string])[] = [
      [inDefault("services"), { spec: { ports: [{ port: 80 }] } }, "Service"],
      [inDefault("serviceaccounts"), {}, "ServiceAccount"],
      [
        inDefault("persistentvolumeclaims"),
        { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
        "PersistentVolumeClaim",
      ],
      [inDefault("pods"), podBody("d"), "Pod"],
      ["/apis/storage.k8s.io/v1/storageclasses", { provisioner: "example.com/p" }, "StorageClass"],
      [inDefault("secrets"), {}, "Status"],
      [leases, {}, "Status"],
      [roles, {}, "Status"],
    ];
    for (const [path, more, kind] of returned) {
      const { metadata } = await bed.make(path, { ...more, metadata: { name: "d" } });
      const { code, json: gone } = await send("DELETE", `${path}/d`);
      expect([path, code, gone.kind]).toEqual([path, 200, kind]);
      expect(kind === "Status" ? gone.details.uid : gone.metadata.uid).toBe(metadata.uid);
    }
  });
});
