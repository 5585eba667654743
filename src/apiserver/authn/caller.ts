import { errors } from "../../meta/status.ts";
import type { Authenticator } from "./authenticator.ts";

/** Authenticates a component in this process by the identity that the composition root gave it. */
export const componentAuthenticator: Authenticator = {
  name: "component",
  authenticate: ({ caller }) => (caller.type === "component" ? { user: caller.user } : undefined),
};

/** The common name of the certificate that the API server shows to kubelets, and only to them (as kubeadm's). */
export const kubeletClientName = "kube-apiserver-kubelet-client";

/**
 * Authenticates by a client certificate that TLS verified: the common name is the user, organizations are
 * groups.
 */
export const certificateAuthenticator: Authenticator = {
  name: "x509",
  authenticate({ caller }) {
    if (caller.type !== "connection" || caller.certificate === undefined) return undefined;
    // An invalid certificate must not make the caller anonymous.
    if (caller.certificate === "rejected") throw errors.unauthorized();
    const { commonName, organizations, fingerprint } = caller.certificate;
    // A certificate without a user name is ignored: it must not act as a member of its groups.
    if (commonName === "") return undefined;
    // A node may report any address as its kubelet's: with the API server's own, a request for the kubelet would
    // come back with the permissions of `system:masters`.
    if (commonName === kubeletClientName) throw errors.unauthorized();
    const extra = { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] };
    return { user: { name: commonName, groups: organizations, extra } };
  },
};
