import type { Secret } from "../../api/core/secret/schema.ts";
import type { ServiceAccount } from "../../api/core/service-account/schema.ts";

export const secretType = "kubernetes.io/service-account-token";

const nameAnnotation = "kubernetes.io/service-account.name";
const uidAnnotation = "kubernetes.io/service-account.uid";

/** The work on a Secret: it is deleted with its account, and filled when something is missing. */
export type Step =
  | { readonly type: "none" }
  | { readonly type: "delete" }
  /** The Secret to write, without its token when `needsToken`. */
  | { readonly type: "fill"; readonly secret: Secret; readonly needsToken: boolean };

/** Returns the name of the account that a Secret is for; undefined for any other Secret. */
export function accountOf({ metadata, type }: Secret): string | undefined {
  const name = metadata.annotations?.[nameAnnotation] ?? "";
  return type !== secretType || name === "" ? undefined : name;
}

/** `account` is undefined when it does not exist. `rootCertificate` is PEM. */
export function plan(secret: Secret, account: ServiceAccount | undefined, rootCertificate: string): Step {
  const { annotations = {}, namespace = "" } = secret.metadata;
  const uid = annotations[uidAnnotation] ?? "";
  // A token of a former account must not authenticate as a new account of the same name.
  if (account === undefined || (uid !== "" && uid !== account.metadata.uid)) return { type: "delete" };
  const { data = {} } = secret;
  const wanted = {
    "ca.crt": encode(rootCertificate),
    namespace: isEmpty(data["namespace"]) ? encode(namespace) : data["namespace"],
  };
  const needsToken = isEmpty(data["token"]);
  const isSame = data["ca.crt"] === wanted["ca.crt"] && data["namespace"] === wanted.namespace;
  if (isSame && !needsToken) return { type: "none" };
  const { name = "", uid: accountUid = "" } = account.metadata;
  const metadata = {
    ...secret.metadata,
    annotations: { ...annotations, [nameAnnotation]: name, [uidAnnotation]: accountUid },
  };
  return { type: "fill", secret: { ...secret, metadata, data: { ...data, ...wanted } }, needsToken };
}

export function withToken(secret: Secret, token: string): Secret {
  return { ...secret, data: { ...secret.data, token: encode(token) } };
}

/** Returns the account without references to deleted Secrets; the same object when it has none. */
export function withoutSecrets(account: ServiceAccount, gone: ReadonlySet<string>): ServiceAccount {
  const { secrets = [] } = account;
  const kept = secrets.filter(({ name = "" }) => !gone.has(name));
  return kept.length === secrets.length ? account : { ...account, secrets: kept };
}

const isEmpty = (value: string | undefined): value is "" | undefined => value === undefined || value === "";
const encode = (text: string) => Buffer.from(text).toString("base64");
