import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import type { UserInfo } from "../../meta/exchange.ts";
import { admin, type Bed, type Json, startBed } from "../server.suite.ts";

const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const fixture = new URL("../../../test/fixtures/strategies/certificates.jsonl", import.meta.url);
const [first = ""] = readFileSync(fixture, "utf8").split("\n");
const { given: jane } = JSON.parse(first) as { readonly given: Json };
const approver: UserInfo = { name: "approver", groups: ["system:authenticated"] };

let bed: Bed;
beforeEach(async () => {
  bed = await startBed();
});

/** Lets the approver write requests, and do this with the signers of this name. */
async function permit(verb: string, signer: string): Promise<void> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const rules = [
    {
      verbs: ["get", "update"],
      apiGroups: ["certificates.k8s.io"],
      resources: ["certificatesigningrequests/approval", "certificatesigningrequests/status"],
    },
    { verbs: [verb], apiGroups: ["certificates.k8s.io"], resources: ["signers"], resourceNames: [signer] },
  ];
  await bed.make(`${rbac}/clusterroles`, { metadata: { name: "approver" }, rules });
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "approver" };
  const subjects = [{ kind: "User", name: approver.name, apiGroup: "rbac.authorization.k8s.io" }];
  await bed.make(`${rbac}/clusterrolebindings`, { metadata: { name: "approver" }, roleRef, subjects });
  await bed.clock.settle();
}

const condition = (type: string) => ({ type, status: "True", reason: "ByHand" });

test("a request says who asked", async () => {
  const user = { name: "jane", uid: "u1", groups: ["devs"], extra: { scopes: ["a"] } };
  await permit("approve", "none");
  const made = await bed.make(
    requests,
    { ...jane, spec: { ...jane.spec, username: "eve" } },
    { user: admin },
  );
  expect(made.spec).toMatchObject({ username: "admin", groups: expect.arrayContaining(["system:masters"]) });
  expect((await bed.post(requests, jane, { user })).status).toBe(403);
});

describe.each([
  ["approve", "approval", { conditions: [condition("Approved")] }],
  ["sign", "status", { conditions: [condition("Failed")] }],
])("to %s through %s", (verb, subresource, status) => {
  test.each([
    ["needs the permission for the signer", "example.com/other", 403],
    ["is allowed for the signer", jane.spec.signerName, 200],
    ["is allowed for its domain", "example.com/*", 200],
  ])("%s", async (_, signer, code) => {
    const request = await bed.make(requests, jane);
    await permit(verb, signer);
    const url = `${requests}/jane/${subresource}`;
    const answer = await bed.put(url, { ...request, status }, { user: approver });
    expect(answer.status).toBe(code);
    if (code === 200) expect(answer.body.status.conditions).toMatchObject(status.conditions);
    else
      expect(answer.body.message).toContain(
        `user not permitted to ${verb} requests with signerName "example.com/signer"`,
      );
  });
});

test("the main endpoint takes no conditions", async () => {
  const request = await bed.make(requests, jane);
  const { body } = await bed.put(`${requests}/jane`, {
    ...request,
    status: { conditions: [condition("Approved")] },
  });
  expect(body.status).toEqual({});
});
