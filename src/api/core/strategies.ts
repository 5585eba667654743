import { type Registration, serve } from "../../meta/strategy.ts";
import { podStrategy } from "./pods/strategy.ts";
import { componentStatusColumns } from "./printers/plain.ts";
import { serviceStrategy } from "./services/strategy.ts";
import { configMapStrategy, secretStrategy, serviceAccountStrategy } from "./strategy/config.ts";
import { endpointsStrategy, eventStrategy } from "./strategy/event.ts";
import { namespaceStrategy } from "./strategy/namespace.ts";
import { nodeStrategy } from "./strategy/node.ts";
import { limitRangeStrategy, resourceQuotaStrategy } from "./strategy/quota.ts";
import { podTemplateStrategy, replicationControllerStrategy } from "./strategy/replication.ts";
import { persistentVolumeClaimStrategy, persistentVolumeStrategy } from "./strategy/storage.ts";
import { bindings } from "./v1/binding.ts";
import { componentStatuses } from "./v1/component-status.ts";
import { configMaps } from "./v1/config-map.ts";
import { endpoints } from "./v1/endpoints.ts";
import { events } from "./v1/event.ts";
import { limitRanges } from "./v1/limit-range.ts";
import { namespaces } from "./v1/namespace.ts";
import { nodes } from "./v1/node.ts";
import { persistentVolumes } from "./v1/persistent-volume.ts";
import { persistentVolumeClaims } from "./v1/persistent-volume-claim.ts";
import { pods } from "./v1/pod.ts";
import { podTemplates } from "./v1/pod-template.ts";
import { replicationControllers } from "./v1/replication-controller.ts";
import { resourceQuotas } from "./v1/resource-quota.ts";
import { secrets } from "./v1/secret.ts";
import { services } from "./v1/service.ts";
import { serviceAccounts } from "./v1/service-account.ts";
import { validateBinding } from "./validation/pod.ts";

/** The core group. */
export const coreRegistrations: readonly Registration[] = [
  serve(bindings, { validate: validateBinding }),
  serve(componentStatuses, {
    deprecation: "v1 ComponentStatus is deprecated in v1.19+",
    columns: componentStatusColumns,
  }),
  serve(configMaps, configMapStrategy),
  serve(endpoints, endpointsStrategy),
  serve(events, eventStrategy),
  serve(limitRanges, limitRangeStrategy),
  serve(namespaces, namespaceStrategy),
  serve(nodes, nodeStrategy),
  serve(persistentVolumeClaims, persistentVolumeClaimStrategy),
  serve(persistentVolumes, persistentVolumeStrategy),
  serve(pods, podStrategy),
  serve(podTemplates, podTemplateStrategy),
  serve(replicationControllers, replicationControllerStrategy),
  serve(resourceQuotas, resourceQuotaStrategy),
  serve(secrets, secretStrategy),
  serve(serviceAccounts, serviceAccountStrategy),
  serve(services, serviceStrategy),
];
