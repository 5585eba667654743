import type { Kind } from "../meta/kind.ts";
import type { Registration } from "../meta/strategy.ts";
import { admissionregistrationRegistrations } from "./admissionregistration/strategies.ts";
import { apiextensionsRegistrations } from "./apiextensions/strategies.ts";
import { apiregistrationRegistrations } from "./apiregistration/strategies.ts";
import { appsRegistrations } from "./apps/registrations.ts";
import { authenticationRegistrations } from "./authentication/strategies.ts";
import { authorizationRegistrations } from "./authorization/strategies.ts";
import { autoscalingRegistrations } from "./autoscaling/registrations.ts";
import { batchRegistrations } from "./batch/registrations.ts";
import { certificatesRegistrations } from "./certificates/strategies.ts";
import { coordinationRegistrations } from "./coordination/strategies.ts";
import { coreRegistrations } from "./core/strategies.ts";
import { discoveryRegistrations } from "./discovery/strategies.ts";
import { eventsRegistrations } from "./events/strategies.ts";
import { flowcontrolRegistrations } from "./flowcontrol/strategies.ts";
import { networkingRegistrations } from "./networking/registrations.ts";
import { nodeRegistrations } from "./node/strategies.ts";
import { policyRegistrations } from "./policy/registrations.ts";
import { rbacRegistrations } from "./rbac/registrations.ts";
import { resourceRegistrations } from "./resource/strategies.ts";
import { schedulingRegistrations } from "./scheduling/strategies.ts";
import { storageRegistrations } from "./storage/strategies.ts";
import { tokenRequests } from "./authentication/v1.ts";
import { scales } from "./autoscaling/scale/schema.ts";
import { evictions } from "./policy/eviction/schema.ts";

/** Every built-in resource, in the order in which groups are listed to clients. */
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

/** Kinds that have no resource of their own: they are only sent to, or got from, subresources. */
export const bodies: readonly Kind[] = [evictions, scales, tokenRequests];
