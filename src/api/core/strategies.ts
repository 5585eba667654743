import { serve, type Registration } from "../../meta/strategy.ts";
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

/** The core group. */
export const coreRegistrations: readonly Registration[] = [
  serve(pods),
  serve(podTemplates),
  serve(bindings),
  serve(nodes),
  serve(namespaces),
  serve(services),
  serve(endpoints),
  serve(events),
  serve(configMaps),
  serve(secrets),
  serve(serviceAccounts),
  serve(limitRanges),
  serve(resourceQuotas),
  serve(replicationControllers),
  serve(componentStatuses),
  serve(persistentVolumes),
  serve(persistentVolumeClaims),
];
