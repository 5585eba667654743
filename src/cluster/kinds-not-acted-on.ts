const enforcesNothing = "does not enforce it yet";
const callsNoWebhooks = "does not call its webhooks yet";

/** The kind that nftables enforces for real containers. */
export const networkPolicies = "networkpolicies.networking.k8s.io";

/** The kind that nodes with real containers use. */
export const csiDrivers = "csidrivers.storage.k8s.io";

/**
 * Kinds that are stored and served without a component that implements them. A kind leaves the list with its
 * component.
 */
export const kindsNotActedOn: ReadonlyMap<string, string> = new Map([
  [networkPolicies, "does not enforce it for simulated containers"],
  ["validatingadmissionpolicies.admissionregistration.k8s.io", enforcesNothing],
  ["validatingadmissionpolicybindings.admissionregistration.k8s.io", enforcesNothing],
  ["mutatingadmissionpolicies.admissionregistration.k8s.io", enforcesNothing],
  ["mutatingadmissionpolicybindings.admissionregistration.k8s.io", enforcesNothing],
  ["validatingwebhookconfigurations.admissionregistration.k8s.io", callsNoWebhooks],
  ["mutatingwebhookconfigurations.admissionregistration.k8s.io", callsNoWebhooks],
  ["apiservices.apiregistration.k8s.io", "does not serve its group yet"],
  ["flowschemas.flowcontrol.apiserver.k8s.io", enforcesNothing],
  ["prioritylevelconfigurations.flowcontrol.apiserver.k8s.io", enforcesNothing],
  ["volumeattributesclasses.storage.k8s.io", "does not modify volumes yet"],
  [csiDrivers, "uses CSI drivers only for real containers"],
]);
