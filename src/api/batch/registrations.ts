import { type Registration, serve } from "../../meta/strategy.ts";
import { cronJobs } from "./cron-job/schema.ts";
import { cronJobStrategy } from "./cron-job/strategy.ts";
import { jobs } from "./job/schema.ts";
import { jobStrategy } from "./job/strategy.ts";

/** The group `batch`. */
export const batchRegistrations: readonly Registration[] = [
  serve(cronJobs, cronJobStrategy),
  serve(jobs, jobStrategy),
];
