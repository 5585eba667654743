import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import {
  requestPem,
  signingRequest,
  type SubjectAttribute,
} from "../../api/certificates/certificate-signing-request/request.suite.ts";
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

/** Grants the approver writes of requests, and this verb for the signers of this name. */
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

test("a request records its creator", async () => {
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

test("the main endpoint ignores conditions", async () => {
  const request = await bed.make(requests, jane);
  const { body } = await bed.put(`${requests}/jane`, {
    ...request,
    status: { conditions: [condition("Approved")] },
  });
  expect(body.status).toEqual({});
});

describe("a certificate of system:masters is refused", () => {
  const organization = (text: string, tag?: number): SubjectAttribute => ({
    type: "organization",
    text,
    ...(tag === undefined ? {} : { tag }),
  });
  const ask = (...parts: readonly (readonly SubjectAttribute[])[]) => {
    const signerName = "kubernetes.io/kube-apiserver-client";
    const spec = { request: signingRequest(...parts), signerName, usages: ["client auth"] };
    return bed.post(requests, { metadata: { name: "r" }, spec });
  };
  test.each([
    ["UTF8String", 0x0c],
    ["PrintableString", 0x13],
    ["TeletexString", 0x14],
    ["IA5String", 0x16],
    ["UniversalString", 0x1c],
    ["BMPString", 0x1e],
  ])("in a %s", async (_, tag) => {
    const { status, body } = await ask([organization("system:masters", tag)]);
    expect(status).toBe(403);
    expect(body.message).toBe(
      'certificatesigningrequests.certificates.k8s.io "r" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    );
    expect((await ask([organization("devs", tag)])).status).toBe(201);
  });
  test("among other groups, in one part of the name or several, or with a terminator", async () => {
    const [devs, masters] = [organization("devs"), organization("system:masters")];
    expect((await ask([devs, masters])).status).toBe(403);
    expect((await ask([devs], [masters])).status).toBe(403);
    expect((await ask([organization("system:masters\0", 0x1e)])).status).toBe(403);
  });
  test("behind a block that a signer does not see", async () => {
    const hidden = requestPem([organization("devs")]);
    const seen = requestPem([organization("system:masters")]);
    const request = Buffer.from(`x${hidden}${seen}`).toString("base64");
    const spec = { request, signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] };
    expect((await bed.post(requests, { metadata: { name: "r" }, spec })).status).toBe(403);
  });
  test("behind an attribute whose type has a long tag", async () => {
    const odd = { ...organization("a"), tag: 0x1f };
    const { status } = await ask([odd], [organization("system:masters")]);
    expect(status).toBe(422);
  });
});
