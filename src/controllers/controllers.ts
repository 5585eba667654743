import type { Controller } from "../operator/controller.ts";
import { rootCaPublisher } from "./root-ca/controller.ts";
import { serviceAccountController } from "./service-account/controller.ts";

export interface ControllersOptions {
  /** PEM: what Pods verify the API server by. */
  readonly rootCertificate: string;
}

/** All built-in controllers. Each runs under the ServiceAccount that has its name. */
export function controllers({ rootCertificate }: ControllersOptions): readonly Controller[] {
  return [serviceAccountController(), rootCaPublisher(rootCertificate)];
}
