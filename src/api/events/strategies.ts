import { serve, type Registration } from "../../meta/strategy.ts";
import { events } from "./v1.ts";

/** The group `events.k8s.io`. */
export const eventsRegistrations: readonly Registration[] = [serve(events)];
