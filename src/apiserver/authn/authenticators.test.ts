import { generateKeyPairSync } from "node:crypto";
import { SignJWT } from "jose";
import { inDefault, startBed } from "../server.suite.ts";
import { authenticatorSuite, bearer, certified, component } from "./authenticator.suite.ts";
import { certificateAuthenticator, componentAuthenticator } from "./caller.ts";
import { issuer, ServiceAccountTokens, tokenForSecret } from "./service-account-tokens.ts";

const groups = ["builders", "system:masters"];

authenticatorSuite("a component", async () => ({
  authenticator: componentAuthenticator,
  good: { ...component({ name: "scheduler", groups }), headers: { authorization: "Bearer x" } },
  user: { name: "scheduler", groups },
  bad: [],
  own: "component",
  namesAudiences: false,
}));

authenticatorSuite("a client certificate", async () => ({
  authenticator: certificateAuthenticator,
  good: certified("jane", groups, { authorization: "Bearer x" }),
  user: {
    name: "jane",
    groups,
    extra: { "authentication.kubernetes.io/credential-id": ["X509SHA256=f00d"] },
  },
  bad: [
    [
      "TLS rejected it",
      { caller: { type: "connection", address: "127.0.0.1", certificate: "rejected" }, headers: {} },
    ],
  ],
  own: "certificate",
  namesAudiences: false,
}));

const accountUser = {
  name: "system:serviceaccount:default:default",
  groups: ["system:serviceaccounts", "system:serviceaccounts:default"],
};

const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Tokens that were made from a good one by someone without the key. */
function forgeries(token: string) {
  const [head = "", , signature = ""] = token.split(".");
  const claims = base64({ sub: "system:serviceaccount:kube-system:admin" });
  return [
    ["other claims", bearer(`${head}.${claims}.${signature}`)],
    ["no signature", bearer(`${base64({ alg: "none", kid: "knarr" })}.${claims}.`)],
    ["a signature that goes on", bearer(`${token}x`)],
    ["no signature at the end", bearer(token.slice(0, token.lastIndexOf(".") + 1))],
    ["no token", bearer("nonsense")],
    ["empty parts", bearer("..")],
  ] as const;
}

async function openTokens() {
  const bed = await startBed();
  const { tokens } = bed.server.services;
  const { uid } = (await bed.get(`${inDefault("serviceaccounts")}/default`)).body.metadata;
  /** Signed by this server, but not said by it. */
  const signed = (claims: object): Promise<string> =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: tokens.keys.signing.alg, kid: tokens.keys.signing.kid })
      .sign(tokens.keys.signing.key);
  return { bed, tokens, account: { name: "default", uid }, signed };
}

authenticatorSuite("a ServiceAccount's token", async () => {
  const { bed, tokens, account, signed } = await openTokens();
  const options = { namespace: "default", serviceAccount: account, audiences: [issuer] };
  const issue = async (expirationSeconds: number, more: object = {}) =>
    (await tokens.issue({ ...options, expirationSeconds, ...more })).token;
  const pair = { type: "spki", format: "pem" } as const;
  const other = new ServiceAccountTokens(
    bed.server.services,
    generateKeyPairSync("ec", {
      namedCurve: "P-256",
      publicKeyEncoding: pair,
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    }),
  );
  const foreign = (await other.issue({ ...options, expirationSeconds: 600 })).token;
  const token = await issue(3600);
  const strange = await Promise.all(
    [null, "text", 1, [], {}, { namespace: "default" }, { namespace: "default", serviceaccount: null }].map(
      async (claims) =>
        ["strange claims", bearer(await signed({ iss: issuer, "kubernetes.io": claims }))] as const,
    ),
  );
  return {
    authenticator: tokens,
    good: bearer(token),
    user: accountUser,
    bad: [
      ...forgeries(token),
      ["another cluster's key", bearer(foreign)],
      ["its time is over", bearer(await issue(-3600))],
      ["for others", bearer(await issue(3600, { audiences: ["vault"] }))],
      [
        "another account of that name",
        bearer(await issue(3600, { serviceAccount: { name: "default", uid: "u" } })),
      ],
      ["an account that is gone", bearer(await issue(3600, { serviceAccount: { name: "gone", uid: "u" } }))],
      ["a Pod that is gone", bearer(await issue(3600, { boundTo: { kind: "Pod", name: "web", uid: "u" } }))],
      ...strange,
    ],
    own: "bearer",
    namesAudiences: true,
  };
});

authenticatorSuite("the token in a Secret", async () => {
  const { bed, tokens, account } = await openTokens();
  const token = await tokenForSecret(tokens.keys, "default", account, "t");
  const annotations = { "kubernetes.io/service-account.name": "default" };
  await bed.make(inDefault("secrets"), {
    metadata: { name: "t", annotations },
    type: "kubernetes.io/service-account-token",
    stringData: { token },
  });
  const make = async (secret: string, uid = account.uid) =>
    bearer(await tokenForSecret(tokens.keys, "default", { ...account, uid }, secret));
  return {
    authenticator: tokens,
    good: bearer(token),
    user: accountUser,
    bad: [
      ...forgeries(token),
      ["no such Secret", await make("other")],
      ["not what the Secret holds", await make("t", "u")],
    ],
    own: "bearer",
    namesAudiences: true,
  };
});
