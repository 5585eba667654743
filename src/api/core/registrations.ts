import { type Registration, serve } from "../../meta/strategy.ts";
import { podStrategy } from "./pod/strategy.ts";
import { componentStatusColumns } from "./component-status/printer.ts";
import { serviceStrategy } from "./service/strategy.ts";
import { configMapStrategy } from "./config-map/strategy.ts";
import { secretStrategy } from "./secret/strategy.ts";
import { serviceAccountStrategy } from "./service-account/strategy.ts";
import { endpointsStrategy } from "./endpoints/strategy.ts";
import { eventStrategy } from "./event/strategy.ts";
import { namespaceStrategy } from "./namespace/strategy.ts";
import { nodeStrategy } from "./node/strategy.ts";
import { limitRangeStrategy } from "./limit-range/strategy.ts";
import { resourceQuotaStrategy } from "./resource-quota/strategy.ts";
import { podTemplateStrategy } from "./pod-template/strategy.ts";
import { replicationControllerStrategy } from "./replication-controller/strategy.ts";
import { persistentVolumeClaimStrategy } from "./persistent-volume-claim/strategy.ts";
import { persistentVolumeStrategy } from "./persistent-volume/strategy.ts";
import { bindings } from "./binding/schema.ts";
import { componentStatuses } from "./component-status/schema.ts";
import { configMaps } from "./config-map/schema.ts";
import { endpoints } from "./endpoints/schema.ts";
import { events } from "./event/schema.ts";
import { limitRanges } from "./limit-range/schema.ts";
import { namespaces } from "./namespace/schema.ts";
import { nodes } from "./node/schema.ts";
import { persistentVolumes } from "./persistent-volume/schema.ts";
import { persistentVolumeClaims } from "./persistent-volume-claim/schema.ts";
import { pods } from "./pod/schema.ts";
import { podTemplates } from "./pod-template/schema.ts";
import { replicationControllers } from "./replication-controller/schema.ts";
import { resourceQuotas } from "./resource-quota/schema.ts";
import { secrets } from "./secret/schema.ts";
import { services } from "./service/schema.ts";
import { serviceAccounts } from "./service-account/schema.ts";
import { validateBinding } from "./binding/validation.ts";

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
