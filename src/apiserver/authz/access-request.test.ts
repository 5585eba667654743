import { expect, test } from "vitest";
import type { Context } from "../context.ts";
import { requestInfo } from "../request-info.ts";
import { accessRequest, createAccess, requireAccess } from "./access-request.ts";
import type { Decision } from "./authorizer.ts";

const user = { name: "alice", groups: ["dev"] };

/** The context of a request such as `GET /api/v1/pods?watch=1`. */
function contextOf(text: string, decision: Decision = { allowed: false, reason: "" }): Context {
  const [method = "", url = ""] = text.split(" ");
  const [path = "", search = ""] = url.split("?", 2);
  const query = new URLSearchParams(search);
  const info = requestInfo(method, path, query);
  const services = { authorizer: { authorize: () => decision } };
  return { user, info, request: { query }, services } as unknown as Context;
}

/** The question in short: `list pods ns/name ?selector`. */
function question(text: string): string {
  const { verb, target } = accessRequest(contextOf(text));
  if (target.type === "path") return `${verb} ${target.path}`;
  const { namespace, resource, name, fields } = target;
  return `${verb} ${resource} ${namespace}/${name}${fields === undefined ? "" : ` ?${fields.toString()}`}`;
}

const pods = "/api/v1/namespaces/ns/pods";

test.each([
  ["GET /healthz", "get /healthz"],
  [`GET ${pods}/a`, "get pods ns/a"],
  [`GET ${pods}`, "list pods ns/"],
  [`GET ${pods}?fieldSelector=metadata.name%3Da`, "list pods ns/a ?metadata.name=a"],
  [`GET ${pods}?watch=1&fieldSelector=metadata.name%3Da`, "watch pods ns/a ?metadata.name=a"],
  [`GET ${pods}?fieldSelector=metadata.name%21%3Da`, "list pods ns/ ?metadata.name!=a"],
  [`GET ${pods}?fieldSelector=spec.nodeName%3Dn`, "list pods ns/ ?spec.nodeName=n"],
  [`GET ${pods}?fieldSelector=nonsense`, "list pods ns/"],
  [`DELETE ${pods}?fieldSelector=metadata.name%3Da`, "deletecollection pods ns/ ?metadata.name=a"],
  [`DELETE ${pods}/a?fieldSelector=metadata.name%3Db`, "delete pods ns/a"],
  [`POST ${pods}?fieldSelector=metadata.name%3Da`, "create pods ns/"],
  [
    "GET /api/v1/watch/namespaces/ns/pods/a?fieldSelector=metadata.name%3Db",
    "watch pods ns/a ?metadata.name=b",
  ],
])("%s asks to %s", (request, expected) => {
  expect(question(request)).toBe(expected);
});

test("what is asked for is the whole resource, without what follows it", () => {
  expect(accessRequest(contextOf("GET /apis/apps/v1/namespaces/ns/deployments/a/scale"))).toEqual({
    user,
    verb: "get",
    target: {
      type: "resource",
      group: "apps",
      version: "v1",
      namespace: "ns",
      resource: "deployments",
      subresource: "scale",
      name: "a",
    },
  });
});

test("an update that finds nothing asks to create under that name", () => {
  expect(createAccess(contextOf(`PUT ${pods}/a`))).toMatchObject({ verb: "create", target: { name: "a" } });
});

test.each([
  [
    `GET ${pods}/a`,
    'pods "a" is forbidden: User "alice" cannot get resource "pods" in API group "" in the namespace "ns"',
  ],
  [
    `GET ${pods}`,
    'pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "ns"',
  ],
  [
    "GET /apis/apps/v1/deployments",
    'deployments.apps is forbidden: User "alice" cannot list resource "deployments" in API group "apps" at the cluster scope',
  ],
  [
    `GET ${pods}/a/log`,
    'pods "a" is forbidden: User "alice" cannot get resource "pods/log" in API group "" in the namespace "ns"',
  ],
  ["GET /metrics", 'forbidden: User "alice" cannot get path "/metrics"'],
])("%s is refused with what is missing", (request, message) => {
  const context = contextOf(request);
  expect(() => requireAccess(context, accessRequest(context))).toThrow(
    expect.objectContaining({ message, status: expect.objectContaining({ code: 403, reason: "Forbidden" }) }),
  );
});

test("what is allowed is not refused", () => {
  const context = contextOf(`GET ${pods}`, { allowed: true, reason: "" });
  expect(() => requireAccess(context, accessRequest(context))).not.toThrow();
});
