import { expect, test } from "vitest";
import { startBed } from "../server.suite.ts";
import { authenticatorSuite, bearer } from "./authenticator.suite.ts";
import { BootstrapTokens } from "./bootstrap-tokens.ts";

const id = "foobar";
const token = "circumnavigation";
const systemSecrets = "/api/v1/namespaces/kube-system/secrets";

/** Starts a server with bootstrap tokens by ID. The data is beyond what a valid token needs. */
async function open(tokens: Readonly<Record<string, Readonly<Record<string, string>>>>) {
  const bed = await startBed();
  await bed.post("/api/v1/namespaces", { metadata: { name: "kube-system" } });
  for (const [each, { type = "bootstrap.kubernetes.io/token", name = each, ...data }] of Object.entries(
    tokens,
  )) {
    const stringData = {
      "token-id": each,
      "token-secret": token,
      "usage-bootstrap-authentication": "true",
      ...data,
    };
    await bed.make(systemSecrets, { metadata: { name: `bootstrap-token-${name}` }, type, stringData });
  }
  const authenticator = new BootstrapTokens(bed.server.services);
  return { bed, authenticator };
}

authenticatorSuite("a bootstrap token", async () => {
  const { bed, authenticator } = await open({
    [id]: {},
    barfoo: { "usage-bootstrap-authentication": "false" },
    group1: { "auth-extra-groups": "foo" },
    expire: { expiration: "2009-11-10T23:00:00Z" },
    typed1: { type: "Opaque" },
    idless: { "token-id": "foobar" },
    ending: {},
  });
  const ending = `${systemSecrets}/bootstrap-token-ending`;
  await bed.patch(ending, { metadata: { finalizers: ["example.com/keep"] } });
  await bed.delete(ending);
  const of = (each: string) => bearer(`${each}.${token}`);
  return {
    authenticator,
    good: of(id),
    user: { name: `system:bootstrap:${id}`, groups: ["system:bootstrappers"] },
    bad: [
      ["another secret", bearer(`${id}.0123456789abcdef`)],
      ["another ID", of("zzzzzz")],
      ["no usage", of("barfoo")],
      ["an invalid group", of("group1")],
      ["expired", of("expire")],
      ["another type", of("typed1")],
      ["another ID in the Secret", of("idless")],
      ["being deleted", of("ending")],
    ],
    own: "bearer",
    namesAudiences: true,
  };
});

test("a bootstrap token's bearer has the extra groups, sorted and without repeats", async () => {
  const { authenticator } = await open({
    [id]: {
      "auth-extra-groups": "system:bootstrappers:foo,system:bootstrappers:bar,system:bootstrappers:foo",
      expiration: "2109-11-10T23:00:00Z",
    },
  });
  expect(authenticator.authenticate(bearer(`${id}.${token}`))?.user.groups).toEqual([
    "system:bootstrappers",
    "system:bootstrappers:bar",
    "system:bootstrappers:foo",
  ]);
});

test("a text of another form is no bootstrap token", async () => {
  const { authenticator } = await open({ [id]: {} });
  for (const text of [`foo.${token}`, `${id}.short`, `${id}.${token}x`, "nonsense"]) {
    expect([text, authenticator.authenticate(bearer(text))]).toEqual([text, undefined]);
  }
});
