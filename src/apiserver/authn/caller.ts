import { errors } from "../../meta/status.ts";
import type { Authenticator } from "./authenticator.ts";

/** A component in this process: the composition root gave it its identity. */
export const componentAuthenticator: Authenticator = {
  name: "component",
  authenticate: ({ caller }) => (caller.type === "component" ? { user: caller.user } : undefined),
};

/** A client certificate, verified by TLS: the common name is the user, organisations are groups. */
export const certificateAuthenticator: Authenticator = {
  name: "x509",
  authenticate({ caller }) {
    if (caller.type !== "connection" || caller.certificate === undefined) return undefined;
    // A certificate that does not hold is no reason to be anonymous.
    if (caller.certificate === "rejected") throw errors.unauthorized();
    const { commonName, organizations, fingerprint } = caller.certificate;
    // Groups without a name are nobody's: such a certificate must not act as a member of them.
    if (commonName === "") return undefined;
    const extra = { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] };
    return { user: { name: commonName, groups: organizations, extra } };
  },
};
