import { describe, expect, test } from "vitest";
import { RequestError } from "./errors.ts";
import { resourcePath } from "./path.ts";

const pods = { group: "", version: "v1", plural: "pods", namespaced: true };
const deployments = { group: "apps", version: "v1", plural: "deployments", namespaced: true };
const roles = {
  group: "rbac.authorization.k8s.io",
  version: "v1",
  plural: "clusterroles",
  namespaced: false,
};

describe("a resource path", () => {
  test.each([
    [pods, {}, "/api/v1/pods"],
    [pods, { namespace: "default", name: "a" }, "/api/v1/namespaces/default/pods/a"],
    [
      deployments,
      { namespace: "x", name: "web", subresource: "scale" },
      "/apis/apps/v1/namespaces/x/deployments/web/scale",
    ],
    [roles, { name: "system:node" }, "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode"],
    [
      roles,
      { namespace: "ignored", name: "a?b#c" },
      "/apis/rbac.authorization.k8s.io/v1/clusterroles/a%3Fb%23c",
    ],
  ])("addresses %o %o", (ref, target, path) => {
    expect(resourcePath(ref, target)).toBe(path);
  });

  test.each(["", ".", "..", "a/b", "a%2fb"])(
    "refuses the name %j, which would address another resource",
    (name) => {
      expect(() => resourcePath(pods, { namespace: "x", name })).toThrow(RequestError);
      expect(() => resourcePath(pods, { namespace: name, name: "a" })).toThrow(RequestError);
    },
  );
});
