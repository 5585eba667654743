import type { Kind } from "../meta/kind.ts";
import type { Registration } from "../meta/strategy.ts";
import { admissionregistrationRegistrations } from "./admissionregistration/registrations.ts";
import { apiextensionsRegistrations } from "./apiextensions/registrations.ts";
import { apiregistrationRegistrations } from "./apiregistration/registrations.ts";
import { appsRegistrations } from "./apps/registrations.ts";
import { authenticationRegistrations } from "./authentication/registrations.ts";
import { authorizationRegistrations } from "./authorization/registrations.ts";
import { autoscalingRegistrations } from "./autoscaling/registrations.ts";
import { batchRegistrations } from "./batch/registrations.ts";
import { certificatesRegistrations } from "./certificates/registrations.ts";
import { coordinationRegistrations } from "./coordination/registrations.ts";
import { coreRegistrations } from "./core/registrations.ts";
import { discoveryRegistrations } from "./discovery/registrations.ts";
import { eventsRegistrations } from "./events/registrations.ts";
import { flowcontrolRegistrations } from "./flowcontrol/registrations.ts";
import { networkingRegistrations } from "./networking/registrations.ts";
import { nodeRegistrations } from "./node/registrations.ts";
import { policyRegistrations } from "./policy/registrations.ts";
import { rbacRegistrations } from "./rbac/registrations.ts";
import { resourceRegistrations } from "./resource/registrations.ts";
import { schedulingRegistrations } from "./scheduling/registrations.ts";
import { storageRegistrations } from "./storage/registrations.ts";
import { tokenRequests } from "./authentication/v1.ts";
import { scales } from "./autoscaling/scale/schema.ts";
import { evictions } from "./policy/eviction/schema.ts";

/** Every built-in resource, in the order in which discovery lists the groups. */
export const registrations: readonly Registration[] = [
  ...coreRegistrations,
  ...apiregistrationRegistrations,
  ...appsRegistrations,
  ...eventsRegistrations,
  ...authenticationRegistrations,
  ...authorizationRegistrations,
  ...autoscalingRegistrations,
  ...batchRegistrations,
  ...certificatesRegistrations,
  ...networkingRegistrations,
  ...policyRegistrations,
  ...rbacRegistrations,
  ...storageRegistrations,
  ...admissionregistrationRegistrations,
  ...apiextensionsRegistrations,
  ...schedulingRegistrations,
  ...coordinationRegistrations,
  ...nodeRegistrations,
  ...discoveryRegistrations,
  ...resourceRegistrations,
  ...flowcontrolRegistrations,
];

/** Kinds without a resource of their own, which subresources receive or return. */
export const bodies: readonly Kind[] = [evictions, scales, tokenRequests];
