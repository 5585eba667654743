import type { Controller } from "../operator/controller.ts";
import { type Clock, systemClock } from "../util/clock.ts";
import type { Network } from "../util/ipv4.ts";
import { bootstrapSigner } from "./bootstrap-signer/controller.ts";
import {
  certificateApprovingController,
  certificateCleanerController,
  certificateSigningController,
  type SigningOptions,
} from "./certificates/controller.ts";
import { attachDetachController } from "./attach-detach/controller.ts";
import { clusterRoleAggregationController } from "./cluster-role-aggregation/controller.ts";
import { daemonSetController } from "./daemon-set/controller.ts";
import { cronJobController } from "./cron-job/controller.ts";
import { deploymentController } from "./deployment/controller.ts";
import { deviceTaintEvictionController } from "./device-taint-eviction/controller.ts";
import { disruptionController } from "./disruption/controller.ts";
import { disruptedPodController } from "./disruption/pods.ts";
import { endpointSliceController } from "./endpoint-slice/controller.ts";
import { endpointSliceMirroringController } from "./endpoint-slice-mirroring/controller.ts";
import { endpointsController } from "./endpoints/controller.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler/controller.ts";
import { ephemeralVolumeController } from "./ephemeral-volume/controller.ts";
import { jobController } from "./job/controller.ts";
import { orphanedPodController } from "./job/orphans.ts";
import { localPathController, localPathName } from "./local-path/controller.ts";
import type { LocalDirectories } from "./local-path/directories.ts";
import { legacyTokenCleaner } from "./legacy-token-cleaner/controller.ts";
import { namespaceController } from "./namespace/controller.ts";
import { nodeIpamController, type NodeNetwork } from "./node-ipam/controller.ts";
import { nodeLifecycleController } from "./node-lifecycle/controller.ts";
import { persistentVolumeBinder } from "./persistent-volume-binder/controller.ts";
import { claimProtectionController } from "./persistent-volume-claim-protection/controller.ts";
import { volumeExpander } from "./persistent-volume-expander/controller.ts";
import { volumeProtectionController } from "./persistent-volume-protection/controller.ts";
import { podGarbageCollector } from "./pod-garbage-collector/controller.ts";
import { replicaSetController } from "./replica-set/controller.ts";
import { statefulSetController } from "./stateful-set/controller.ts";
import { replicationController } from "./replication-controller/controller.ts";
import { podClaimController } from "./resource-claim/controller.ts";
import { claimReleaseController } from "./resource-claim/release-controller.ts";
import { resourceQuotaController } from "./resource-quota/controller.ts";
import { serviceCidrController } from "./service-cidr/controller.ts";
import { rootCaPublisher } from "./root-ca/controller.ts";
import { controllerAliases, inapplicableControllers, missingControllers } from "./names.ts";
import { allByDefault, isSelected, type KnownControllers, type Selection } from "./selection.ts";
import { serviceLoadBalancerController } from "./service-load-balancer/controller.ts";
import { serviceAccountController } from "./service-account/controller.ts";
import { serviceAccountTokenController, type SignToken } from "./service-account-token/controller.ts";
import { taintEvictionController } from "./taint-eviction/controller.ts";
import { tokenCleaner } from "./token-cleaner/controller.ts";
import { nodeTtlController } from "./ttl/controller.ts";
import { ttlAfterFinishedController } from "./ttl-after-finished/controller.ts";
import { attributesClassProtectionController } from "./volume-attributes-class-protection/controller.ts";
import { validatingAdmissionPolicyStatusController } from "./validating-admission-policy-status/controller.ts";

export interface ControllersOptions {
  /** The CA certificate, in PEM, with which Pods verify the API server. Undefined: it is not published. */
  readonly rootCertificate: string | undefined;
  /** Signs the tokens in Secrets of ServiceAccounts. Undefined: such Secrets get no token. */
  readonly signToken: SignToken | undefined;
  /** Signs the certificates that CertificateSigningRequests ask for. Undefined: none is signed. */
  readonly signing: SigningOptions | undefined;
  /** The ranges from which nodes get theirs. Undefined: nodes bring their own. */
  readonly nodeNetwork?: NodeNetwork | undefined;
  /** The directories of local volumes. Undefined: claims get none. */
  readonly localDirectories?: LocalDirectories | undefined;
  /** The range of load balancers' addresses. Undefined: such Services get none. */
  readonly loadBalancerRange?: Network | undefined;
  /** The manager's clock. Default: the system's. */
  readonly clock?: Clock;
  /** The controllers that run. Default: all that run by default. */
  readonly selection?: Selection;
}

/** A built-in controller, by the name that `--controllers` takes: upstream's. */
interface Entry {
  readonly name: string;
  /** True for a controller that runs only if `--controllers` names it. */
  readonly isOffByDefault?: true;
  readonly make: (options: Required<ControllersOptions>) => readonly Controller[];
}

/**
 * All built-in controllers but the garbage collector, which is no `Controller`. Each acts as the ServiceAccount of its own
 * name, except `tokens-controller`.
 */
const entries: readonly Entry[] = [
  { name: "namespace-controller", make: () => [namespaceController()] },
  { name: "serviceaccount-controller", make: () => [serviceAccountController()] },
  {
    name: "serviceaccount-token-controller",
    make: ({ rootCertificate, signToken: sign }) =>
      sign === undefined || rootCertificate === undefined
        ? []
        : [serviceAccountTokenController({ rootCertificate, sign })],
  },
  {
    name: "root-ca-certificate-publisher-controller",
    make: ({ rootCertificate }) => (rootCertificate === undefined ? [] : [rootCaPublisher(rootCertificate)]),
  },
  { name: "replicaset-controller", make: ({ clock }) => [replicaSetController(clock)] },
  { name: "statefulset-controller", make: () => [statefulSetController()] },
  { name: "daemonset-controller", make: ({ clock }) => [daemonSetController(clock)] },
  { name: "replicationcontroller-controller", make: ({ clock }) => [replicationController(clock)] },
  { name: "deployment-controller", make: () => [deploymentController()] },
  { name: "job-controller", make: ({ clock }) => [jobController(clock), orphanedPodController()] },
  { name: "ttl-after-finished-controller", make: () => [ttlAfterFinishedController()] },
  { name: "cronjob-controller", make: () => [cronJobController()] },
  { name: "endpointslice-controller", make: ({ clock }) => [endpointSliceController(clock)] },
  {
    name: "endpointslice-mirroring-controller",
    make: ({ clock }) => [endpointSliceMirroringController(clock)],
  },
  { name: "endpoints-controller", make: () => [endpointsController()] },
  { name: "clusterrole-aggregation-controller", make: () => [clusterRoleAggregationController()] },
  {
    name: "certificatesigningrequest-signing-controller",
    make: ({ signing }) => (signing === undefined ? [] : [certificateSigningController(signing)]),
  },
  {
    name: "certificatesigningrequest-approving-controller",
    make: () => [certificateApprovingController()],
  },
  { name: "certificatesigningrequest-cleaner-controller", make: () => [certificateCleanerController()] },
  { name: "bootstrap-signer-controller", isOffByDefault: true, make: () => [bootstrapSigner()] },
  { name: "token-cleaner-controller", isOffByDefault: true, make: () => [tokenCleaner()] },
  { name: "legacy-serviceaccount-token-cleaner-controller", make: () => [legacyTokenCleaner()] },
  { name: "pod-garbage-collector-controller", make: () => [podGarbageCollector()] },
  { name: "node-lifecycle-controller", make: () => [nodeLifecycleController()] },
  { name: "horizontal-pod-autoscaler-controller", make: () => [horizontalPodAutoscalerController()] },
  { name: "taint-eviction-controller", make: () => [taintEvictionController()] },
  { name: "ttl-controller", make: () => [nodeTtlController()] },
  { name: "service-cidr-controller", make: () => [serviceCidrController()] },
  {
    name: "node-ipam-controller",
    make: ({ nodeNetwork }) => (nodeNetwork === undefined ? [] : [nodeIpamController(nodeNetwork)]),
  },
  {
    name: "service-lb-controller",
    make: ({ loadBalancerRange: range }) =>
      range === undefined ? [] : [serviceLoadBalancerController(range)],
  },
  { name: "disruption-controller", make: () => [disruptionController(), disruptedPodController()] },
  { name: "persistentvolume-binder-controller", make: () => [persistentVolumeBinder()] },
  { name: "persistentvolume-attach-detach-controller", make: () => [attachDetachController()] },
  { name: "persistentvolume-expander-controller", make: () => [volumeExpander()] },
  { name: "persistentvolume-protection-controller", make: () => [volumeProtectionController()] },
  { name: "persistentvolumeclaim-protection-controller", make: () => [claimProtectionController()] },
  {
    name: "volumeattributesclass-protection-controller",
    make: () => [attributesClassProtectionController()],
  },
  { name: "ephemeral-volume-controller", make: () => [ephemeralVolumeController()] },
  {
    name: "validatingadmissionpolicy-status-controller",
    make: () => [validatingAdmissionPolicyStatusController()],
  },
  { name: "device-taint-eviction-controller", make: () => [deviceTaintEvictionController()] },
  { name: "resourceclaim-controller", make: () => [podClaimController(), claimReleaseController()] },
  {
    name: localPathName,
    make: ({ localDirectories }) =>
      localDirectories === undefined ? [] : [localPathController(localDirectories)],
  },
  { name: "resourcequota-controller", make: ({ clock }) => [resourceQuotaController(clock)] },
];

export const garbageCollector = "garbage-collector-controller";

export const knownControllers: KnownControllers = {
  names: [...entries.map(({ name }) => name), garbageCollector],
  aliases: controllerAliases,
  inapplicable: inapplicableControllers,
  missing: missingControllers,
};

/** Makes the built-in controllers that are switched on, for one manager. */
export function controllers({
  clock = systemClock,
  nodeNetwork,
  localDirectories,
  loadBalancerRange,
  selection = allByDefault,
  ...options
}: ControllersOptions): readonly Controller[] {
  return entries
    .filter(({ name, isOffByDefault }) => isSelected(selection, name, isOffByDefault))
    .flatMap(({ make }) =>
      make({ ...options, clock, nodeNetwork, loadBalancerRange, localDirectories, selection }),
    );
}
