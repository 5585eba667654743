import type { Kind } from "../meta/kind.ts";
import type { Registration } from "../meta/strategy.ts";
import { admissionregistrationRegistrations } from "./admissionregistration/strategies.ts";
import { apiextensionsRegistrations } from "./apiextensions/strategies.ts";
import { apiregistrationRegistrations } from "./apiregistration/strategies.ts";
import { appsRegistrations } from "./apps/strategies.ts";
import { authenticationRegistrations } from "./authentication/strategies.ts";
import { authorizationRegistrations } from "./authorization/strategies.ts";
import { autoscalingRegistrations } from "./autoscaling/strategies.ts";
import { batchRegistrations } from "./batch/strategies.ts";
import { certificatesRegistrations } from "./certificates/strategies.ts";
import { coordinationRegistrations } from "./coordination/strategies.ts";
import { coreRegistrations } from "./core/strategies.ts";
import { discoveryRegistrations } from "./discovery/strategies.ts";
import { eventsRegistrations } from "./events/strategies.ts";
import { flowcontrolRegistrations } from "./flowcontrol/strategies.ts";
import { networkingRegistrations } from "./networking/strategies.ts";
import { nodeRegistrations } from "./node/strategies.ts";
import { policyRegistrations } from "./policy/strategies.ts";
import { rbacRegistrations } from "./rbac/strategies.ts";
import { resourceRegistrations } from "./resource/strategies.ts";
import { schedulingRegistrations } from "./scheduling/strategies.ts";
import { storageRegistrations } from "./storage/strategies.ts";
import { tokenRequests } from "./authentication/v1.ts";
import { scales } from "./autoscaling/v1-scale.ts";
import { evictions } from "./policy/v1-eviction.ts";

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
